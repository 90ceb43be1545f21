// Begin, when all parts of the script are there.

if (document.getElementById("pack-index")) antemill.start(antemill.packed());
else if (document.querySelector('meta[name="antemill-data"]'))
  antemill.start(antemill.hosted(document.querySelector('meta[name="antemill-data"]').content));
else if (antemill.run !== undefined) antemill.start(antemill.served());
else antemill.showTabs();
