// Begin, when all parts of the script are there.

if (document.getElementById("pack-index")) antemill.start(antemill.packed());
else if (document.querySelector('meta[name="antemill-live"]')) antemill.start(antemill.served());
