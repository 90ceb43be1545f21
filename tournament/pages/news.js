// The report of a run that goes on: shown when it is made; a newer one when the reader asks for it.

const PAUSE = 1000; // milliseconds between two questions how it stands
const news = document.getElementById("news");
const said = news?.querySelector("span"), seconds = news?.querySelector("small"), stands = news?.querySelector("b");

// A screen reader says the text once, and the seconds beside it never.
const say = (text, time = "", link = "") => {
  if (said.dataset.text !== text) antemill.show(said, text, link && antemill.there(`/report/${encodeURIComponent(antemill.run)}`, link));
  said.dataset.text = text;
  antemill.show(seconds, time);
};

let state = null; // of the run when its list was read last
const follow = async () => {
  const made = news.dataset.made;
  try {
    const now = await antemill.get(`/api/runs/${encodeURIComponent(antemill.run)}/report`);
    antemill.show(stands, now.stands ? `The run is ${now.stands}. ` : "");
    if (!made && (now.made || now.making === null) && !location.hash) return location.reload();
    if (now.making !== null) say(made ? "A newer one is being made. " : "", `${Math.round(now.making)} s`);
    else if (now.made && now.made !== made) say("There is a newer one: ", "", "show it");
    else if (!now.fresh && now.made) say("More has been finished since: ", "", "make it again");
    else say("");
    if (state === null || now.state !== state && await antemill.refresh()) state = now.state;
  } catch (error) {
    say(error instanceof TypeError ? "The server does not answer." : error.message);
  }
  setTimeout(follow, PAUSE);
};

if (news) queueMicrotask(follow);
