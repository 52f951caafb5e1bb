// What is set on the page: with undo and redo, and as a link.

/**
 * @typedef {{generator: string, weight: number, settings?: Record<string, string>}} Component
 *
 * @typedef {object} Source settings of tracks or gates
 * @property {Record<string, string>} settings fields that are not at their default
 * @property {Component[]} mix components of a mixed batch; empty: there is one generator
 * @property {number} seed
 * @property {number} epoch
 * @property {number} envs
 *
 * @typedef {object} State
 * @property {string} tab tracks, gates, circuit, drive or statistics
 * @property {Source} tracks
 * @property {Source} gates
 * @property {{settings: Record<string, string>}} circuit
 * @property {{of: string, settings: Record<string, string>, vehicle: string, line: string, brave: number,
 *   laps: number}} drive
 * @property {{of: string, envs: number}} statistics
 * @property {{colour: string, scale: number}} view
 */

export const tabs = ["tracks", "gates", "circuit", "drive", "statistics"];

/** @returns {State} */
export function initial() {
  const source = () => ({ settings: {}, mix: [], seed: 0, epoch: 0, envs: 24 });
  return {
    tab: "tracks",
    tracks: source(),
    gates: { ...source(), settings: { "gate.width": "0.06", candidates: "4" } },
    circuit: { settings: {} },
    drive: { of: "tracks", settings: {}, vehicle: "", line: "centre", brave: 1, laps: 1 },
    statistics: { of: "tracks", envs: 1024 },
    view: { colour: "auto", scale: 1 },
  };
}

/** A whole number in a range, or a default. @param {any} value @param {number} low @param {number} high @param {number} other */
function whole(value, low, high, other) {
  return Number.isInteger(value) && value >= low && value <= high ? value : other;
}

/** Texts by name: those of a link may be anything. @param {any} value @returns {Record<string, string>} */
function texts(value) {
  /** @type {Record<string, string>} */
  const clean = {};
  if (value && typeof value === "object" && !Array.isArray(value)) {
    for (const [name, text] of Object.entries(value).slice(0, 300)) {
      if (/^[a-z0-9_.]{1,80}$/.test(name) && typeof text === "string" && text.length <= 256) clean[name] = text;
    }
  }
  return clean;
}

/** A source from a link. @param {any} value @param {Source} other @returns {Source} */
function sourceOf(value, other) {
  if (!value || typeof value !== "object") return other;
  const mix = Array.isArray(value.mix) ? value.mix.slice(0, 16) : [];
  return {
    settings: texts(value.settings),
    mix: mix.filter((/** @type {any} */ c) => c && typeof c.generator === "string" && c.weight > 0)
      .map((/** @type {any} */ c) => ({ generator: c.generator.slice(0, 80), weight: Number(c.weight),
        settings: texts(c.settings) })),
    seed: whole(value.seed, -(2 ** 31), 2 ** 31 - 1, other.seed),
    epoch: whole(value.epoch, -(2 ** 31), 2 ** 31 - 1, other.epoch),
    envs: whole(value.envs, 1, 512, other.envs),
  };
}

/** A state from the JSON of a link, in which anything may stand. @param {any} value @returns {State} */
export function clean(value) {
  const s = initial();
  if (!value || typeof value !== "object") return s;
  const one = (/** @type {any} */ v, /** @type {string[]} */ of, /** @type {string} */ other) => of.includes(v) ? v : other;
  s.tab = one(value.tab, tabs, s.tab);
  s.tracks = sourceOf(value.tracks, s.tracks);
  s.gates = sourceOf(value.gates, s.gates);
  s.circuit.settings = texts(value.circuit?.settings);
  const d = value.drive ?? {};
  s.drive = {
    of: one(d.of, ["tracks", "gates", "circuit"], s.drive.of),
    settings: texts(d.settings),
    vehicle: typeof d.vehicle === "string" && /^[a-z0-9_]{0,40}$/.test(d.vehicle) ? d.vehicle : "",
    line: one(d.line, ["centre", "racing"], "centre"),
    brave: d.brave >= 0.1 && d.brave <= 3 ? Number(d.brave) : 1,
    laps: whole(d.laps, 1, 10, 1),
  };
  s.statistics = { of: one(value.statistics?.of, ["tracks", "gates"], "tracks"),
    envs: whole(value.statistics?.envs, 1, 16384, 1024) };
  s.view = { colour: one(value.view?.colour, ["auto", "plain", "height", "curvature", "width"], "auto"),
    scale: value.view?.scale >= 0.001 && value.view?.scale <= 10000 ? Number(value.view.scale) : 1 };
  return s;
}

/** The JSON of a state as a part of an address. @param {State} state */
export function toHash(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `#state=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The state of an address, or null. @param {string} hash @returns {State | null} */
export function fromHash(hash) {
  const text = new URLSearchParams(hash.slice(1)).get("state");
  if (!text || text.length > 100_000) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return clean(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}

const mostUndo = 200;

/** The state with its history. */
export class History {
  /** @param {State} state @param {() => void} changed is called after undo and redo */
  constructor(state, changed) {
    this.state = state;
    this.changed = changed;
    /** @type {string[]} */
    this.before = [];
    /** @type {string[]} */
    this.after = [];
    this.kept = JSON.stringify(state);
  }

  /** Keeps the state as it is now, so that undo returns to it. A slider that moves calls it once, when it rests. */
  keep() {
    const now = JSON.stringify(this.state);
    if (now === this.kept) return;
    this.before.push(this.kept);
    if (this.before.length > mostUndo) this.before.shift();
    this.after = [];
    this.kept = now;
    history.replaceState(null, "", toHash(this.state));
  }

  undo() { this.#step(this.before, this.after); }

  redo() { this.#step(this.after, this.before); }

  /** @param {string[]} from @param {string[]} to */
  #step(from, to) {
    this.keep();
    const text = from.pop();
    if (text === undefined) return;
    to.push(this.kept);
    this.kept = text;
    // The object stays the same: every part of the page holds it.
    Object.assign(this.state, JSON.parse(text));
    history.replaceState(null, "", toHash(this.state));
    this.changed();
  }
}
