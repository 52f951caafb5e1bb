// The page: what is set, what is asked of the world, and what is shown.
import { decode } from "./courses.js";
import { get, make } from "./dom.js";
import { Driving } from "./driving.js";
import { Gallery } from "./gallery.js";
import { Inspector } from "./inspect.js";
import { Panel } from "./settings.js";
import { command, copy, exportFile, show, yaml } from "./share.js";
import { clean, fromHash, History, initial, tabs, toHash } from "./state.js";
import { decodeMeasures, Statistics } from "./statistics.js";
import { Failed, open, Refused } from "./world.js";

/** @typedef {import("./state.js").Source} Source */

const mostShown = 48; // chosen tracks of the statistics
const mostDriven = 48;

class Page {
  /** @param {import("./world.js").World} world @param {any} tables */
  constructor(world, tables) {
    this.world = world;
    this.tables = tables;
    this.history = new History(fromHash(location.hash) ?? this.#start(), () => this.refresh());
    this.gallery = new Gallery((course) => this.inspect(course));
    this.inspector = new Inspector(get("inspector"), tables, { close: () => this.inspect(null),
      save: (course) => this.export(course) });
    this.driving = new Driving();
    this.statistics = new Statistics(tables.measures, (rows, all) => this.showChosen(rows, all));
    /** @type {Record<string, Panel>} */
    this.panels = {};
    for (const [kind, table] of Object.entries(tables.kinds)) {
      this.panels[kind] = new Panel(table, (name, text, rests) => this.set(kind, name, text, rests));
    }
    this.panels.tracks.open(["Road", "Corner points"]);
    this.panels.gates.open(["Gates"]);
    this.panels.circuit.open(["Circuit"]);
    this.panels.race.open(["Speed profile"]);
    /** @type {{name: string, bytes: ArrayBuffer} | null} */
    this.file = null;
    /** @type {number[] | null} the seeds that the gallery shows, if they are not those of the settings */
    this.seeds = null;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {AbortController | null} of the chosen tracks of the statistics */
    this.choosing = null;
    this.lastInspected = -1;
    this.frame = 0;
    this.asked = ""; // what the last request was for
    this.since = 0; // when the first change was that no request has taken along
    this.shownTab = "";
    this.#listen();
  }

  get state() { return this.history.state; }

  /** What the page begins with if the address says nothing. */
  #start() {
    const state = initial();
    const start = this.tables.start;
    if (start) {
      state.tab = start.course;
      const given = { settings: start.settings, mix: start.mix ?? [], seed: start.seed, epoch: start.epoch,
        envs: start.envs || 24 };
      state[/** @type {"tracks" | "gates"} */ (start.course)] = given;
    }
    return clean(state);
  }

  /** The kind of course that the view is about. */
  get course() {
    const { tab, drive, statistics } = this.state;
    return tab === "drive" ? drive.of : tab === "statistics" ? statistics.of : tab;
  }

  /** The settings of generated courses, null for circuits. @returns {Source | null} */
  get source() {
    const { course } = this;
    return course === "circuit" ? null : this.state[/** @type {"tracks" | "gates"} */ (course)];
  }

  /** The request for what the view shows. */
  request() {
    const { source, state } = this;
    const base = { course: this.course, seed: 0, epoch: 0, envs: 0, drive: {} };
    if (!source) return { ...base, settings: state.circuit.settings, file: this.file?.name ?? "circuit.csv" };
    const envs = state.tab === "statistics" ? state.statistics.envs
      : state.tab === "drive" ? Math.min(source.envs, mostDriven) : source.envs;
    return { ...base, settings: source.settings, mix: source.mix, seed: source.seed, epoch: source.epoch, envs };
  }

  /** Sets one setting. @param {string} kind @param {string} name @param {string | null} text @param {boolean} rests */
  set(kind, name, text, rests) {
    const { state } = this;
    const settings = kind === "race" ? state.drive.settings : state[/** @type {"tracks"} */ (kind)].settings;
    if (text === null) delete settings[name];
    else settings[name] = text;
    this.changed(rests);
  }

  /** Something was set. @param {boolean} rests whether it stays so: a slider may move on */
  changed(rests) {
    if (this.since === 0) this.since = performance.now();
    if (rests) this.history.keep();
    this.seeds = null;
    this.#values();
    this.#buttons();
    const key = JSON.stringify([this.state, this.file?.name]);
    if (key === this.asked) {
      this.since = 0;
      return; // a slider rests where it was
    }
    this.asked = key;
    // The first change goes out at once; while a request runs, all changes of a frame become one.
    cancelAnimationFrame(this.frame);
    if (get("main").getAttribute("aria-busy") === "true") this.frame = requestAnimationFrame(() => this.ask());
    else this.ask();
  }

  /** Shows the whole state, after undo or another tab. */
  refresh() {
    this.seeds = null;
    this.#tab();
    this.#panel();
    this.#values();
    this.#buttons();
    this.asked = "";
    return this.ask();
  }

  /** Asks the world for what the view shows. An earlier request is given up. */
  async ask() {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const start = this.since || performance.now();
    this.since = 0;
    const main = get("main");
    main.setAttribute("aria-busy", "true");
    const busy = setTimeout(() => main.classList.add("busy"), 150);
    try {
      const text = await this.#answer(running.signal, start);
      if (running.signal.aborted) return;
      this.#blame([], "");
      get("status").textContent = text;
    } catch (error) {
      if (running.signal.aborted) return;
      this.#failed(error);
    } finally {
      clearTimeout(busy);
      if (this.running === running) {
        main.classList.remove("busy");
        main.setAttribute("aria-busy", "false");
      }
    }
  }

  /** @param {AbortSignal} signal @param {number} start @returns {Promise<string>} what the status says */
  async #answer(signal, start) {
    if (this.course === "circuit" && !this.file) {
      this.gallery.resize(0);
      this.inspect(null);
      return this.state.tab === "circuit" ? "No file yet." : "Drop a file on the tab Circuits first.";
    }
    switch (this.state.tab) {
      case "drive": return this.#drive(signal);
      case "statistics": return this.#measure(signal);
    }
    const request = this.seeds ? { ...this.request(), seeds: this.seeds } : this.request();
    return this.#gallery(request, signal, start);
  }

  /** Fills the gallery. @param {any} request @param {AbortSignal} signal @param {number} start */
  async #gallery(request, signal, start) {
    let seen = 0;
    let end = { envs: 0, valid: 0, milliseconds: 0 };
    for await (const frame of this.world.call("generate", request, this.course === "circuit" ? this.file?.bytes ?? null : null,
      signal)) {
      if (signal.aborted) return "";
      if (frame.head.kind === "done") end = frame.head;
      if (frame.head.kind === "circuits") this.#reports(frame.head.circuits);
      if (frame.head.kind !== "tracks" && frame.head.kind !== "gates") continue;
      this.gallery.add(decode(frame));
      seen += frame.head.envs;
      if (seen < (request.envs || Infinity)) this.gallery.draw();
    }
    this.gallery.resize(seen);
    this.gallery.draw();
    const { course } = this.inspector;
    if (course && !this.inspector.element.hidden) this.inspect(this.gallery.courses[course.env] ?? null, true);
    performance.measure("redraw", { start });
    const took = Math.round(performance.now() - start);
    return `${end.valid} of ${end.envs} valid · ${took} ms, ${Math.round(end.milliseconds)} to generate`;
  }

  /** Says how a file was read. @param {any[]} reports */
  #reports(reports) {
    get("reports").replaceChildren(...reports.map((r) => make("li", {}, make("b", {}, r.name), ` ${r.file}, ${r.points} points, ` +
      `${r.length.toFixed(1)} m${r.widths ? "" : ", no widths"}${r.heights ? ", with heights" : ""}. `,
      [...r.columns, ...r.notes].join("; "))));
  }

  /** @param {AbortSignal} signal */
  async #drive(signal) {
    const { drive } = this.state;
    const request = { ...this.request(), drive: { settings: drive.settings, vehicle: this.#vehicle(), line: drive.line,
      brave: drive.brave, laps: drive.laps } };
    let pictures = 0;
    let scale = 1;
    let isNew = true;
    for await (const frame of this.world.call("drive", request, this.course === "circuit" ? this.file?.bytes ?? null : null,
      signal)) {
      if (signal.aborted) return "";
      if (isNew) this.driving.begin();
      isNew = false;
      this.driving.take(frame);
      if (frame.head.kind === "race") scale = frame.head.scale;
      if (frame.head.kind === "cars" && ++pictures % 20 === 1) get("status").textContent = `driving: ${frame.head.time.toFixed(0)} s so far`;
    }
    const last = this.driving.pictures[this.driving.pictures.length - 1];
    const home = last.ends.filter((end) => end.includes("laps")).length;
    return `${home} of ${last.ends.length} complete ${drive.laps === 1 ? "the lap" : `${drive.laps} laps`} · ` +
      `a track unit is ${Number(scale.toPrecision(4))} m`;
  }

  /** The vehicle, as far as it can drive there. */
  #vehicle() {
    return this.course === "gates" ? "" : this.state.drive.vehicle;
  }

  /** @param {AbortSignal} signal */
  async #measure(signal) {
    const gates = this.course === "gates";
    let isNew = true;
    let last = 0;
    let took = 0;
    for await (const frame of this.world.call("statistics", this.request(), null, signal)) {
      if (signal.aborted) return "";
      if (isNew) this.statistics.begin(gates);
      isNew = false;
      if (frame.head.kind === "measures") this.statistics.add(decodeMeasures(frame));
      else took = frame.head.milliseconds;
      if (performance.now() - last > 200) {
        this.statistics.update();
        last = performance.now();
      }
    }
    this.statistics.update();
    await this.showChosen(this.statistics.chosen(), this.statistics.rows.length);
    return `${this.statistics.rows.length} generated in ${Math.round(took)} ms`;
  }

  /** Shows the chosen tracks of the statistics. @param {import("./statistics.js").Row[]} rows @param {number} all */
  async showChosen(rows, all) {
    if (this.state.tab !== "statistics") return;
    const seeds = rows.slice(0, mostShown).map((row) => row.seed);
    get("chosen").textContent = rows.length === all ? `The first ${seeds.length}` :
      `${rows.length} of ${all}${rows.length > seeds.length ? `, the first ${seeds.length} of them` : ""}`;
    this.choosing?.abort();
    const choosing = new AbortController();
    this.choosing = choosing;
    this.gallery.resize(Math.min(this.gallery.cards.length, seeds.length));
    if (seeds.length === 0) return;
    this.seeds = seeds;
    try {
      for await (const frame of this.world.call("generate", { ...this.request(), seeds }, null, choosing.signal)) {
        if (choosing.signal.aborted) return;
        if (frame.head.kind === "tracks" || frame.head.kind === "gates") this.gallery.add(decode(frame));
      }
      this.gallery.resize(seeds.length);
      this.gallery.draw();
    } catch (error) {
      if (!choosing.signal.aborted) this.#failed(error);
    }
  }

  /** Shows what went wrong. @param {unknown} error */
  #failed(error) {
    if (error instanceof Refused) {
      this.#blame(error.problems, error.message);
      get("status").textContent = "Not shown: something that is set is not allowed.";
      return;
    }
    this.#blame([], error instanceof Failed ? error.message : `The page failed: ${error}`, true);
    get("status").textContent = "Not shown.";
  }

  /** Shows problems beside their controls, and the others above the tracks. @param {import("./world.js").Problem[]} problems
   * @param {string} message @param {boolean} [again] offer to try again */
  #blame(problems, message, again = false) {
    let rest = problems;
    for (const panel of this.panelsOf()) rest = panel.blame(rest);
    const text = problems.length > 0 ? rest.map((p) => p.message).join("; ") : message;
    const box = get("problem");
    box.hidden = text === "";
    box.replaceChildren(text);
    if (again) box.append(" ", make("button", { type: "button", onclick: () => this.ask() }, "Try again"));
  }

  /** The panels of settings that the view shows. */
  panelsOf() {
    return this.state.tab === "drive" ? [this.panels.race] : [this.panels[this.course]];
  }

  /** Opens the inspector. @param {import("./courses.js").Course | null} course @param {boolean} [same] */
  inspect(course, same = false) {
    const wasOpen = !this.inspector.element.hidden;
    this.inspector.show(course, same);
    document.body.classList.toggle("inspecting", !!course);
    this.gallery.mark(course ? course.env : -1);
    if (course && !same) this.inspector.canvas.focus({ preventScroll: innerWidth > 900 });
    if (!course && wasOpen && this.gallery.cards[this.lastInspected]) {
      this.gallery.cards[this.lastInspected].element.focus();
    }
    this.lastInspected = course ? course.env : -1;
  }

  /** Asks for a format of a file. @param {import("./courses.js").Course} [course] only this one */
  export(course) {
    /** @type {any} */
    let request = this.request();
    if (this.seeds) request = { ...request, seeds: this.seeds };
    if (request.envs > this.tables.bounds.envs && !request.seeds) request.envs = this.tables.bounds.envs;
    if (course) request.env = course.env;
    const { view } = this.state;
    exportFile(this.world, request, this.course === "circuit" ? this.file?.bytes ?? null : null, this.tables.formats, view.scale,
      (scale) => { if (scale > 0) view.scale = scale; });
  }

  /** Runs something that asks the world, and shows its error. @param {() => Promise<void>} work */
  async try(work) {
    try {
      await work();
    } catch (error) {
      show("That failed", make("p", {}, error instanceof Error ? error.message : String(error)));
    }
  }

  /** The request for a command. */
  #describe() {
    const { state } = this;
    /** @type {any} */
    const request = { ...this.request(), format: state.tab === "drive" || state.tab === "statistics" ? state.tab : "" };
    if (this.seeds && this.statistics.isBrushed() && state.tab === "statistics") {
      request.seeds = this.seeds;
    }
    if (state.tab === "drive") {
      request.drive = { settings: state.drive.settings, vehicle: this.#vehicle(), line: state.drive.line, brave: state.drive.brave,
        laps: state.drive.laps };
    }
    return request;
  }

  #listen() {
    for (const tab of tabs) get(`tab-${tab}`).addEventListener("click", () => this.go(tab));
    get("undo").addEventListener("click", () => this.history.undo());
    get("redo").addEventListener("click", () => this.history.redo());
    get("link").addEventListener("click", () => this.try(() => copy("Link",
      location.origin + location.pathname + toHash(this.state),
      "It restores everything set here, in a browser that has opened this explorer. Files of circuits are not in it.")));
    get("command").addEventListener("click", () => this.try(() => command(this.world, this.#describe(), null)));
    get("yaml").addEventListener("click", () => this.try(() => yaml(this.world, this.#describe())));
    get("export").addEventListener("click", () => this.export());
    get("show-panel").addEventListener("click", () => {
      const isOpen = document.body.classList.toggle("settings-open");
      get("show-panel").setAttribute("aria-expanded", String(isOpen));
    });
    this.#theme();
    this.#keys();
    this.#drop();
  }

  #theme() {
    const button = get("theme");
    const order = ["auto", "light", "dark"];
    const names = { auto: "as the system", light: "light", dark: "dark" };
    const set = (/** @type {string} */ theme) => {
      document.documentElement.dataset.theme = theme;
      localStorage.setItem("trackgen-theme", theme);
      const text = `Theme: ${names[/** @type {"auto"} */ (theme)]}`;
      button.title = text;
      button.setAttribute("aria-label", text);
      this.redraw();
    };
    button.addEventListener("click", () => {
      set(order[(order.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % order.length]);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    const kept = localStorage.getItem("trackgen-theme") ?? "auto";
    set(order.includes(kept) ? kept : "auto");
  }

  /** Draws everything again, in other colours. */
  redraw() {
    this.gallery.draw();
    this.inspector.draw();
    this.driving.draw();
  }

  #keys() {
    document.addEventListener("keydown", (event) => {
      const isText = event.target instanceof HTMLInputElement && event.target.type !== "range" && event.target.type !== "checkbox";
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isText) {
        event.preventDefault();
        if (event.shiftKey) this.history.redo();
        else this.history.undo();
      } else if (event.key === "Escape" && !this.inspector.element.hidden
        && !(/** @type {HTMLDialogElement} */ (get("dialog")).open)) {
        this.inspect(null);
      } else if (event.key === "/" && !isText) {
        event.preventDefault();
        document.body.classList.add("settings-open");
        this.panelsOf()[0].search.focus();
      } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft")
        && event.target instanceof HTMLElement && event.target.getAttribute("role") === "tab") {
        const at = tabs.indexOf(this.state.tab) + (event.key === "ArrowRight" ? 1 : tabs.length - 1);
        this.go(tabs[at % tabs.length]);
        get(`tab-${this.state.tab}`).focus();
      }
    });
  }

  /** Takes files that are dropped anywhere. */
  #drop() {
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) this.load(file);
    });
  }

  /** Reads a file of circuits. @param {File} file */
  async load(file) {
    this.state.tab = "circuit";
    const most = this.tables.bounds.file;
    if (file.size > most) {
      this.file = null;
      await this.refresh();
      this.#blame([], `${file.name} has ${file.size} bytes: must be at most ${most}`);
      return;
    }
    this.file = { name: file.name, bytes: await file.arrayBuffer() };
    this.inspect(null);
    this.history.keep();
    this.refresh();
  }

  /** Shows a tab. @param {string} tab */
  go(tab) {
    const { state } = this;
    if (tab === "drive" && (state.tab === "tracks" || state.tab === "gates" || state.tab === "circuit" && this.file)) {
      state.drive.of = state.tab;
    }
    if (tab === "statistics" && (state.tab === "tracks" || state.tab === "gates")) state.statistics.of = state.tab;
    state.tab = tab;
    this.inspect(null);
    this.history.keep();
    this.refresh();
  }

  /** Puts the parts of the tab on the page. */
  #tab() {
    const { tab } = this.state;
    for (const name of tabs) {
      const button = get(`tab-${name}`);
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    get("main").setAttribute("aria-labelledby", `tab-${tab}`);
    this.driving.stop();
    const shown = `${tab} ${this.course}`;
    if (this.shownTab === shown) {
      if (tab === "drive") this.driving.start();
      return;
    }
    this.shownTab = shown;
    this.choosing?.abort();
    this.gallery.resize(0);
    const content = get("content");
    switch (tab) {
      case "circuit":
        content.replaceChildren(this.#dropBox(), make("ul", { id: "reports" }), this.gallery.element);
        break;
      case "drive":
        content.replaceChildren(this.driving.element);
        this.driving.start();
        break;
      case "statistics":
        content.replaceChildren(this.statistics.element, make("h2", { id: "chosen" }), this.gallery.element);
        break;
      default:
        content.replaceChildren(this.gallery.element);
    }
  }

  #dropBox() {
    const input = make("input", { type: "file", id: "file", onchange: () => input.files?.[0] && this.load(input.files[0]) });
    return make("div", { class: "drop" }, make("label", { for: "file" },
      "Drop a file of a circuit here: CSV, GeoJSON, KML, GPX, cones, or one of TrackGen"), input,
    make("p", { class: "hint" }, "The file stays on this machine. A file without widths needs half width, in the settings."));
  }

  /** Makes the panel of the tab. */
  #panel() {
    const { state } = this;
    const panel = get("panel");
    const parts = [];
    if (state.tab === "drive" || state.tab === "statistics") parts.push(this.#ofControl());
    if (state.tab === "drive") parts.push(this.#driveControls());
    if (state.tab === "tracks" || state.tab === "gates") parts.push(this.#presets());
    if (this.source && state.tab !== "drive") parts.push(this.#sourceControls());
    for (const settings of this.panelsOf()) parts.push(settings.element);
    panel.replaceChildren(...parts);
    get("options").replaceChildren(state.tab === "drive" || state.tab === "circuit" && !this.file ? "" : this.#colours());
  }

  /** Chooses what drives or is measured. */
  #ofControl() {
    const { state } = this;
    const of = state.tab === "drive" ? state.drive : state.statistics;
    const names = state.tab === "drive" ? ["tracks", "gates", "circuit"] : ["tracks", "gates"];
    const select = make("select", { id: "of", onchange: () => {
      of.of = select.value;
      this.history.keep();
      this.refresh();
    } }, ...names.map((name) => make("option", { value: name, selected: name === of.of }, name === "circuit" ? "circuits" : name)));
    return make("div", { class: "source" }, make("label", { for: "of" }, state.tab === "drive" ? "Drive on" : "Measure"), select,
      make("span", { class: "hint" }, "as they are set on their tab"));
  }

  /** @param {string} id @param {string} text @param {HTMLElement} control */
  #labelled(id, text, control) {
    control.id = id;
    return [make("label", { for: id }, text), control];
  }

  #driveControls() {
    const { drive } = this.state;
    const choose = (/** @type {string[]} */ list, /** @type {string} */ value, /** @type {(v: string) => void} */ set) => {
      const select = make("select", { onchange: () => { set(select.value); this.changed(true); } },
        ...list.map((name) => make("option", { value: name, selected: name === value }, name.replaceAll("_", " "))));
      return select;
    };
    const vehicles = this.course === "gates" ? this.tables.vehicles.slice(-1) : this.tables.vehicles;
    const brave = make("input", { type: "range", min: 0.5, max: 2, step: 0.05, value: drive.brave,
      oninput: () => { drive.brave = Number(brave.value); says.textContent = brave.value; },
      onchange: () => this.changed(true) });
    const says = make("output", { for: "brave" }, String(drive.brave));
    const laps = make("input", { type: "number", min: 1, max: this.tables.bounds.laps, value: drive.laps, onchange: () => {
      drive.laps = Math.min(Math.max(Math.round(Number(laps.value)) || 1, 1), this.tables.bounds.laps);
      laps.value = String(drive.laps);
      this.changed(true);
    } });
    return make("div", { class: "source" },
      ...this.#labelled("vehicle", "Vehicle", choose(vehicles, this.#vehicle(), (v) => { drive.vehicle = v; })),
      ...this.#labelled("line", "Line", choose(["centre", "racing"], drive.line, (v) => { drive.line = v; })),
      ...this.#labelled("brave", "Brave", brave), says, ...this.#labelled("laps", "Laps", laps));
  }

  #presets() {
    const buttons = this.tables.presets.filter((/** @type {any} */ p) => p.course === this.course)
      .map((/** @type {any} */ p) => make("button", { type: "button", title: p.doc, "data-preset": p.name, onclick: () => {
        const source = /** @type {Source} */ (this.source);
        source.settings = { ...p.settings };
        source.mix = structuredClone(p.mix ?? []);
        this.history.keep();
        this.refresh();
      } }, p.name));
    return make("div", { class: "presets", role: "group", "aria-label": "Presets" }, ...buttons);
  }

  #sourceControls() {
    const source = /** @type {Source} */ (this.source);
    const { state } = this;
    const table = this.tables.kinds[this.course];
    const generator = make("select", { onchange: () => {
      if (generator.value === "mixed") {
        const first = source.settings.generator ?? table.generators[0];
        source.mix = [{ generator: first, weight: 1 },
          { generator: table.generators.find((/** @type {string} */ g) => g !== first), weight: 1 }];
        delete source.settings.generator;
      } else {
        source.mix = [];
        source.settings.generator = generator.value;
        if (generator.value === table.generators[0]) delete source.settings.generator;
      }
      this.history.keep();
      this.refresh();
    } }, ...table.generators.map((/** @type {string} */ g) => make("option", { value: g }, g)),
    make("option", { value: "mixed" }, "a mixture"));
    generator.value = source.mix.length > 0 ? "mixed" : source.settings.generator ?? table.generators[0];
    const number = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high,
      /** @type {(v: number) => void} */ set) => {
      const input = make("input", { type: "number", min: low, max: high, step: 1, value, onchange: () => {
        const v = Math.round(Number(input.value));
        const kept = Number.isFinite(v) ? Math.min(Math.max(v, low), high) : low;
        input.value = String(kept);
        set(kept);
        this.changed(true);
      } });
      return input;
    };
    const [low, high] = [-(2 ** 31), 2 ** 31 - 1];
    const isMeasure = state.tab === "statistics";
    const seed = number(source.seed, low, high - 16384, (v) => { source.seed = v; });
    const envs = isMeasure
      ? number(state.statistics.envs, 1, this.tables.bounds.statistics, (v) => { state.statistics.envs = v; })
      : number(source.envs, 1, this.tables.bounds.envs, (v) => { source.envs = v; });
    const next = make("button", { type: "button", class: "icon", title: "The next seeds", "aria-label": "The next seeds",
      onclick: () => {
        source.seed = Math.min(source.seed + (isMeasure ? state.statistics.envs : source.envs), high - 16384);
        seed.value = String(source.seed);
        this.changed(true);
      } }, "→");
    return make("div", { class: "source" }, ...this.#labelled("generator", "Generator", generator),
      source.mix.length > 0 ? this.#mixture(source, table.generators) : "",
      ...this.#labelled("seed", "Seed", seed), next,
      ...this.#labelled("epoch", "Epoch", number(source.epoch, low, high, (v) => { source.epoch = v; })),
      ...this.#labelled("envs", this.course === "gates" ? "Courses" : "Tracks", envs));
  }

  /** The components of a mixture. @param {Source} source @param {string[]} generators */
  #mixture(source, generators) {
    const again = () => { this.history.keep(); this.refresh(); };
    const rows = source.mix.map((component, k) => {
      const select = make("select", { "aria-label": `Generator of component ${k + 1}`,
        onchange: () => { component.generator = select.value; again(); } },
      ...generators.map((g) => make("option", { value: g, selected: g === component.generator }, g)));
      const weight = make("input", { type: "number", min: 0.1, step: 0.1, value: component.weight,
        "aria-label": `Weight of component ${k + 1}`, onchange: () => {
          component.weight = Number(weight.value);
          this.changed(true);
        } });
      const own = Object.entries(component.settings ?? {}).map(([name, text]) => `${name}: ${text}`).join(", ");
      return make("li", {}, select, weight, make("button", { type: "button", class: "icon", "aria-label": `Remove component ${k + 1}`,
        onclick: () => {
          source.mix.splice(k, 1);
          if (source.mix.length === 1) {
            source.settings.generator = source.mix[0].generator;
            source.mix = [];
          }
          again();
        } }, "×"), own ? make("span", { class: "hint" }, own) : "");
    });
    return make("ul", { class: "mixture" }, ...rows, make("li", {}, make("button", { type: "button", onclick: () => {
      const free = generators.find((g) => !source.mix.some((c) => c.generator === g)) ?? generators[0];
      source.mix.push({ generator: free, weight: 1 });
      again();
    } }, "Add a generator")));
  }

  #colours() {
    const { view } = this.state;
    const select = make("select", { id: "colour", onchange: () => {
      view.colour = select.value;
      this.gallery.colour = this.inspector.colour = view.colour;
      this.history.keep();
      this.redraw();
    } }, ...["auto", "plain", "height", "curvature", "width"].map((name) =>
      make("option", { value: name, selected: name === view.colour }, `colour: ${{ auto: "height of hills", plain: "none" }[name] ?? name}`)));
    select.setAttribute("aria-label", "What colours show");
    return select;
  }

  /** Shows the values of the settings. */
  #values() {
    const { state, source } = this;
    this.gallery.colour = this.inspector.colour = state.view.colour;
    if (state.tab === "drive") {
      this.panels.race.show(state.drive.settings, []);
      return;
    }
    const used = !source ? [] : source.mix.length > 0 ? source.mix.map((c) => c.generator)
      : [source.settings.generator ?? this.tables.kinds[this.course].generators[0]];
    this.panels[this.course].show(source ? source.settings : state.circuit.settings, used);
  }

  #buttons() {
    /** @type {HTMLButtonElement} */ (get("undo")).disabled = this.history.before.length === 0;
    /** @type {HTMLButtonElement} */ (get("redo")).disabled = this.history.after.length === 0;
  }
}

/** Begins: asks for the tables, and shows the page. */
async function begin() {
  const world = open();
  const status = get("status");
  const box = get("problem");
  try {
    for await (const { head } of world.call("tables", {}, null, null)) {
      box.hidden = true;
      document.title = `TrackGen explorer ${head.version}`;
      new Page(world, head).refresh();
    }
  } catch (error) {
    status.textContent = "";
    box.hidden = false;
    box.replaceChildren(error instanceof Error ? error.message : String(error), " ",
      make("button", { type: "button", onclick: begin }, "Try again"));
  }
}

begin();
