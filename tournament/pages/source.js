// Where data comes from: packed into the page, or a server. Both give the same.

const unpack = async (id) => {
  const node = document.getElementById(id);
  if (!node) throw new Error(`this page has no part ${id}: write it again.`);
  const bytes = Uint8Array.from(atob(node.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

antemill.unpack = unpack;

const cached = (load, most) => {
  const found = new Map();
  return (key) => {
    if (!found.has(key)) {
      if (found.size >= most) found.delete(found.keys().next().value);
      found.set(key, load(key));
    }
    return found.get(key);
  };
};

// What a row must have for a filter, see `tournament.runs.lists.selected`.
const has = (row, name, wanted) => {
  if (name === "search") {
    const text = [row.item, row.about, row.outcome, ...row.players].join(" ").toLowerCase();
    return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }
  const value = row[name];
  if (Array.isArray(value)) return value.includes(wanted);
  if (value !== null && typeof value === "object") return Object.hasOwn(value, wanted);
  if (typeof value === "number") return wanted !== "" && value >= Number(wanted);
  return value !== undefined && value !== null && String(value) === wanted;
};

const order = (value) => Array.isArray(value) ? value.join(", ") : typeof value === "object" ? Object.keys(value).join(", ") : value;

antemill.select = (rows, filters, sort) => {
  const found = rows.filter((row) => Object.entries(filters).every(([name, values]) => values.every((one) => has(row, name, one))));
  const name = sort.replace(/^-/, "");
  if (!name) return found;
  const blank = (row) => row[name] === undefined || row[name] === null || row[name] === "";
  const known = found.filter((row) => !blank(row)), down = sort.startsWith("-") ? -1 : 1;
  known.sort((a, b) => {
    const [x, y] = [order(a[name]), order(b[name])];
    return down * (x < y ? -1 : x > y ? 1 : 0);
  });
  return known.concat(found.filter(blank));
};

const counted = (rows, names) => Object.fromEntries(names.map((name) => {
  const counts = new Map();
  for (const row of rows) {
    const value = row[name];
    const values = Array.isArray(value) ? value : value !== null && typeof value === "object" ? Object.keys(value)
      : value === undefined || value === null || value === "" ? [] : [String(value)];
    for (const one of values) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return [name, Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]).slice(0, 200))];
}));

// The data of a page that opens from a file: one index, and chunks of items that are unpacked when they are needed.
// read: gives the data of a name, by default that of an element of the page.
antemill.packed = (read = unpack) => {
  const index = cached(() => read("pack-index").then(async (found) => {
    for (const run of found.runs) {
      if (run.pages) { // the rows are in files of their own
        const pages = await Promise.all(Array.from({ length: run.pages }, (_, i) => read(`pack-rows-${i}`)));
        run.table = { fields: pages[0]?.table.fields ?? [], values: pages.flatMap((page) => page.table.values) };
        run.where = pages.flatMap((page) => page.where);
      }
      const { fields, values } = run.table;
      run.rows = values.map((row) => Object.fromEntries(fields.map((field, i) => [field, row[i]])));
      run.places = new Map(run.rows.map((row, i) => [row.item, i]));
      run.counts = counted(run.rows, run.about.facets);
    }
    return found;
  }), 1);
  const chunk = cached((name) => read(name), 12);
  const restored = async (value) => {
    if (Array.isArray(value)) return Promise.all(value.map(restored));
    if (value === null || typeof value !== "object") return value;
    if (typeof value.$text === "string") {
      const [name, place] = value.$text.split("/");
      return (await chunk(name))[Number(place)];
    }
    return Object.fromEntries(await Promise.all(Object.entries(value).map(async ([key, one]) => [key, await restored(one)])));
  };
  const run = async (id) => {
    const found = (await index("")).runs.find((one) => one.about.id === id);
    if (!found) throw new Error(`there is no run ${id} in this page.`);
    return found;
  };
  return {
    live: false,
    runs: async () => (await index("")).runs.map((one) => ({ ...one.about, note: one.note })),
    list: async (id, { filters = {}, sort = "", offset = 0, limit = 100 }) => {
      const one = await run(id), rows = antemill.select(one.rows, filters, sort);
      return { total: rows.length, rows: rows.slice(offset, offset + limit), facets: one.counts };
    },
    item: async (id, item) => {
      const one = await run(id), place = one.places.get(item);
      if (place === undefined) throw new Error(`there is no item ${item} in this page.`);
      const where = one.where[place];
      if (!where) throw new Error(one.absent);
      const [name, at] = where;
      return restored((await chunk(name))[at]);
    },
  };
};

// Of a page that a server keeps up to date: the run that it is of, "" for all.
antemill.run = document.querySelector('meta[name="antemill-live"]')?.content;

antemill.get = async (path) => {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? `the server answers ${answer.status}.`);
  return found;
};

// The data of a folder of files, beside a page that any web server has: nothing runs there. See `pages/site.py`.
antemill.hosted = (folder) => antemill.packed((name) => {
  const path = `${folder}/${name}.js`;
  return location.protocol === "file:" ? loaded(name, path) : fetched(path);
});

const fetched = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`the server answers ${answer.status} to ${path}.`);
  const text = await answer.text();
  return JSON.parse(text.slice(text.indexOf("\n"), text.lastIndexOf("\n")));
};

const given = new Map();
antemill.given = (name, data) => given.set(name, data);
const loaded = (name, path) => new Promise((done, failed) => {
  const script = document.createElement("script");
  script.addEventListener("load", () => { script.remove(); done(given.get(name)); given.delete(name); });
  script.addEventListener("error", () => failed(new Error(`the file ${path} is missing beside this page.`)));
  script.src = path;
  document.head.append(script);
});

// The data of a server.
antemill.served = () => {
  const get = antemill.get;
  const name = encodeURIComponent;
  return {
    live: true,
    runs: async () => (await get("/api/runs")).filter((run) => !antemill.run || run.id === antemill.run),
    list: (run, { filters = {}, sort = "", offset = 0, limit = 100 }) => {
      const query = new URLSearchParams({ sort, offset, limit });
      for (const [key, values] of Object.entries(filters)) for (const value of values) query.append(`f.${key}`, value);
      return get(`/api/runs/${name(run)}/items?${query}`);
    },
    item: (run, item) => get(`/api/runs/${name(run)}/items/${name(item)}`),
  };
};
