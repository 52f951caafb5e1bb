// The panel of settings. Every control is made from the table of settings.
import { make } from "./dom.js";

/**
 * @typedef {object} Setting
 * @property {string} name
 * @property {string} group
 * @property {string} doc
 * @property {string} type int, float, bool, choice, range, list or text
 * @property {string} [unit]
 * @property {string} default
 * @property {string} [derived]
 * @property {string} allowed
 * @property {string[]} [choices]
 * @property {number} low
 * @property {number} high
 * @property {number} step
 *
 * @typedef {{generators?: string[], groups: {name: string, title: string, generator?: string}[], fields: Setting[]}} Table
 * @typedef {import("./world.js").Problem} Problem
 */

/** A name for people: "half_width" becomes "half width". @param {string} name */
const spoken = (name) => name.slice(name.lastIndexOf(".") + 1).replaceAll("_", " ");

/** The two numbers of a range, as text. @param {string} text @returns {[string, string]} */
function ends(text) {
  const parts = text.replace(/^\[|\]$/g, "").split(/[,:]/).map((part) => part.trim());
  return [parts[0] ?? "", parts[1] ?? ""];
}

/** A number of a text that may end in a unit, in the unit of the setting; NaN if it is none. @param {string} text */
function numberOf(text) {
  const match = /^([-+0-9.eE]+)\s*([a-z]*)$/.exec(text.trim());
  if (!match) return NaN;
  const factor = { "": 1, m: 1, cm: 0.01, mm: 0.001, km: 1000, rad: 1, deg: Math.PI / 180 }[match[2]];
  return factor === undefined ? NaN : Number(match[1]) * factor;
}

/** One setting with its control. */
class Field {
  /**
   * @param {Setting} setting
   * @param {(name: string, text: string | null, rests: boolean) => void} set null: the default
   */
  constructor(setting, set) {
    this.setting = setting;
    this.set = set;
    const id = `set-${setting.name.replaceAll(".", "-")}`;
    this.doc = make("p", { class: "doc", id: `${id}-doc` },
      `${setting.doc}. `, make("span", { class: "allowed" }, `${setting.name}: ${setting.allowed}.`),
      setting.derived ? ` Default: ${setting.derived}.` : "");
    this.problem = make("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
    this.reset = make("button", { class: "reset", type: "button", title: `Reset to ${this.defaultText()}`,
      "aria-label": `Reset ${spoken(setting.name)} to ${this.defaultText()}`, onclick: () => this.set(setting.name, null, true) },
    "↺");
    /** @type {HTMLInputElement[]} */
    this.sliders = [];
    /** @type {(HTMLInputElement | HTMLSelectElement)[]} */
    this.inputs = [];
    const label = make("label", { for: id, title: `${setting.doc}: ${setting.allowed}` }, spoken(setting.name));
    const row = make("div", { class: "row" }, label, ...this.#controls(id),
      make("span", { class: "unit" }, setting.unit ?? ""), this.reset);
    this.element = make("div", { class: `field ${setting.type}`, "data-name": setting.name }, row, this.doc, this.problem);
  }

  defaultText() {
    return this.setting.derived ? this.setting.derived : this.setting.default;
  }

  /** Makes the controls. @param {string} id @returns {HTMLElement[]} */
  #controls(id) {
    const { setting } = this;
    const described = { "aria-describedby": `${id}-doc ${id}-problem` };
    switch (setting.type) {
      case "bool": {
        const box = make("input", { type: "checkbox", id, ...described,
          onchange: () => this.set(setting.name, String(box.checked), true) });
        this.inputs = [box];
        return [box];
      }
      case "choice": {
        const list = (setting.choices ?? []).filter((choice) => choice !== "mixed");
        const select = make("select", { id, ...described, onchange: () => this.set(setting.name, select.value || null, true) },
          ...(setting.derived && setting.default === "" ? [make("option", { value: "" }, `default: ${setting.derived}`)] : []),
          ...list.map((choice) => make("option", { value: choice }, choice.replaceAll("_", " "))));
        this.inputs = [select];
        return [select];
      }
      case "range":
        return [make("div", { class: "pair" }, ...this.#number(id, described, "least"),
          ...this.#number(`${id}-high`, described, "most"))];
      case "int":
      case "float":
        return this.#number(id, described, "");
    }
    const text = make("input", { type: "text", id, ...described, maxlength: 256, spellcheck: false,
      placeholder: setting.default || "auto", onchange: () => this.set(setting.name, text.value.trim() || null, true) });
    this.inputs = [text];
    return [text];
  }

  /**
   * Makes a slider and a box for a number, of which a range has two.
   * @param {string} id @param {Record<string, string>} described @param {string} which least, most, or nothing
   */
  #number(id, described, which) {
    const { setting } = this;
    const name = `${spoken(setting.name)}${which && `, ${which}`}`;
    const index = this.inputs.length;
    const send = (/** @type {string} */ text, /** @type {boolean} */ rests) => {
      if (which === "" || text.trim() === "") {
        this.set(setting.name, text.trim() || null, rests);
        return;
      }
      this.inputs[index].value = text;
      const values = this.inputs.map((input) => input.value.trim() || text);
      if (index === 0 && numberOf(values[1]) < numberOf(text)) values[1] = text;
      if (index === 1 && numberOf(values[0]) > numberOf(text)) values[0] = text;
      this.set(setting.name, `[${values[0]}, ${values[1]}]`, rests);
    };
    const slider = make("input", { type: "range", min: setting.low, max: setting.high, step: setting.step,
      "aria-label": `${name}, slider`, ...described,
      oninput: () => send(slider.value, false), onchange: () => send(slider.value, true) });
    const box = make("input", { type: "text", inputmode: "decimal", id, "aria-label": name, ...described, maxlength: 40,
      spellcheck: false, autocomplete: "off", placeholder: setting.derived ? "auto" : setting.default,
      onchange: () => send(box.value, true) });
    this.sliders.push(slider);
    this.inputs.push(box);
    return [slider, box];
  }

  /** Shows a value; undefined is the default. @param {string | undefined} text */
  show(text) {
    const { setting } = this;
    const isChanged = text !== undefined;
    this.element.classList.toggle("changed", isChanged);
    this.reset.hidden = !isChanged;
    const shown = text ?? setting.default;
    if (setting.type === "bool") {
      /** @type {HTMLInputElement} */ (this.inputs[0]).checked = shown === "true";
      return;
    }
    const values = setting.type === "range" ? ends(shown) : [shown];
    this.inputs.forEach((input, i) => {
      const value = !isChanged && setting.derived && setting.type !== "choice" ? "" : values[i] ?? "";
      if (document.activeElement !== input || input.value.trim() !== value) input.value = value;
    });
    this.sliders.forEach((slider, i) => {
      const value = numberOf(values[i] ?? "");
      if (document.activeElement !== slider || Number(slider.value) !== value) {
        slider.value = String(Number.isNaN(value) ? setting.low : value);
      }
    });
  }

  /** Shows what is wrong with the value, or nothing. @param {Problem | null} problem */
  blame(problem) {
    this.problem.hidden = !problem;
    this.problem.textContent = problem ? problem.message : "";
    this.element.classList.toggle("wrong", !!problem);
    for (const input of this.inputs) input.setAttribute("aria-invalid", String(!!problem));
  }
}

/** A panel with the settings of one table. */
export class Panel {
  /**
   * @param {Table} table
   * @param {(name: string, text: string | null, rests: boolean) => void} set
   */
  constructor(table, set) {
    this.table = table;
    /** @type {Map<string, Field>} */
    this.fields = new Map();
    /** @type {{generator?: string, element: HTMLDetailsElement, count: HTMLElement, fields: Field[]}[]} */
    this.groups = [];
    /** @type {string[]} */
    this.generators = [];
    this.search = make("input", { type: "search", placeholder: "Search settings", "aria-label": "Search settings",
      oninput: () => this.filter() });
    this.only = make("input", { type: "checkbox", onchange: () => this.filter() });
    this.none = make("p", { class: "none", hidden: true, role: "status" }, "No setting matches.");
    this.element = make("div", { class: "settings" }, make("div", { class: "search" }, this.search,
      make("label", { class: "check" }, this.only, "changed")), this.none);
    for (const group of table.groups) {
      const fields = table.fields.filter((f) => f.group === group.name).map((f) => new Field(f, set));
      if (fields.length === 0) continue;
      fields.forEach((field) => this.fields.set(field.setting.name, field));
      const count = make("span", { class: "count" });
      const element = make("details", { open: false }, make("summary", {}, group.title, " ", count),
        ...fields.map((field) => field.element));
      this.groups.push({ generator: group.generator, element, count, fields });
      this.element.append(element);
    }
  }

  /** Opens groups by their titles. @param {string[]} titles */
  open(titles) {
    for (const group of this.groups) {
      if (titles.includes(group.element.firstChild?.firstChild?.textContent ?? "")) group.element.open = true;
    }
  }

  /** Shows values. @param {Record<string, string>} values @param {string[]} generators those that are in use */
  show(values, generators) {
    for (const group of this.groups) {
      let changed = 0;
      for (const field of group.fields) {
        const text = values[field.setting.name];
        field.show(text);
        if (text !== undefined) changed++;
      }
      group.count.textContent = changed ? `${changed} changed` : "";
      if (group.generator && generators.includes(group.generator) && !this.generators.includes(group.generator)) {
        group.element.open = true;
      }
    }
    this.generators = generators;
    this.filter();
  }

  /** Hides what does not match the search, and the settings of generators that are not in use. */
  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((word) => word);
    let shown = 0;
    for (const group of this.groups) {
      const title = group.element.firstChild?.textContent?.toLowerCase() ?? "";
      let any = false;
      for (const field of group.fields) {
        const { name, doc } = field.setting;
        const text = `${name} ${name.replaceAll("_", " ")} ${doc} ${title}`.toLowerCase();
        const isChanged = field.element.classList.contains("changed");
        const isHere = words.every((word) => text.includes(word)) && (!this.only.checked || isChanged);
        field.element.hidden = !isHere;
        any ||= isHere;
      }
      const isUsed = !group.generator || this.generators.includes(group.generator);
      const isHere = any && (isUsed || words.length > 0 || group.fields.some((f) => f.element.classList.contains("wrong")));
      group.element.hidden = !isHere;
      if (isHere) shown++;
      if (words.length > 0 && any) group.element.open = true;
    }
    this.none.hidden = shown > 0;
  }

  /** Shows problems beside the controls, and returns those without one. @param {Problem[]} problems */
  blame(problems) {
    /** @type {Problem[]} */
    const rest = [];
    const at = new Map();
    for (const problem of problems) {
      if (this.fields.has(problem.field)) at.set(problem.field, problem);
      else rest.push(problem);
    }
    for (const [name, field] of this.fields) field.blame(at.get(name) ?? null);
    for (const group of this.groups) {
      if (group.fields.some((field) => at.has(field.setting.name))) {
        group.element.open = true;
        group.element.hidden = false;
      }
    }
    return rest;
  }
}
