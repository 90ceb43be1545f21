// Matches of an evaluation: each player against the equilibrium, as a tournament's matches.

const matches = antemill.kinds.tournament;
const taken = (...keys) => (one) => keys.includes(one.key);

const columns = [
  { key: "about", label: "Match", sort: true, show: (row) => `${matches.game(row)} #${row.run + 1}` },
  { key: "alice", label: "Alice", sort: true },
  { key: "bob", label: "Bob", sort: true },
  ...matches.columns.filter(taken("outcome", "won", "regret", "off", "moves", "fallbacks", "cost")),
];

const filters = [
  { key: "search", label: "Search", kind: "search" },
  { key: "players", label: "Player", kind: "choice" },
  ...matches.filters.filter(taken("alice", "about", "form", "winner", "causes", "fell", "strayed", "regret", "off", "status")),
];

const heading = (run) => run.players?.includes("everywhere") ? "Matches and questions" : "Matches"; // the other side of a question

const opponent = (name) => name === "equilibrium" || name === "everywhere";

antemill.kinds.eval = { ...matches, heading, columns, filters, opponent,
  note: "Every player meets the equilibrium of the game, with the same cards as all others. Against \"everywhere\" is a question: the player was asked at one decision, and the match goes no further. Given away: chips by the equilibrium, of both players' moves; the equilibrium itself gives nothing away. A fallback is a random legal action, played because no legal one could be read in a reply." };
