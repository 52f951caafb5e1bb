// What leaves the page: a link, a command, a configuration file, and files of the tracks.
import { get, make, save } from "./dom.js";

/** @typedef {import("./world.js").World} World */

/** Shows a dialog. @param {string} title @param {...(Node | string)} children */
export function show(title, ...children) {
  const dialog = /** @type {HTMLDialogElement} */ (get("dialog"));
  dialog.replaceChildren(
    make("form", { method: "dialog", class: "head" }, make("h2", { id: "dialog-title" }, title),
      make("button", { class: "icon", "aria-label": "Close" }, "×")), ...children);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

/** Copies a text, and shows it. @param {string} title @param {string} text @param {string} hint */
export async function copy(title, text, hint) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    isCopied = false; // the browser does not let the page: the person can
  }
  const area = make("textarea", { readonly: true, rows: Math.min(text.split("\n").length + Math.ceil(text.length / 60), 14), "aria-label": title,
    spellcheck: false });
  area.value = text;
  show(title, make("p", {}, isCopied ? "Copied. " : "Select and copy: ", hint), area);
  area.focus();
  area.select();
}

/** The first frame of an answer. @param {World} world @param {string} name @param {object} request
 * @param {ArrayBuffer | null} file */
async function first(world, name, request, file) {
  for await (const frame of world.call(name, request, file, null)) return frame;
  throw new Error("there was no answer");
}

/** Copies the command that makes the courses of a request. @param {World} world @param {object} request
 * @param {ArrayBuffer | null} file */
export async function command(world, request, file) {
  const { head } = await first(world, "describe", request, file);
  await copy("Command", head.command, "It makes the same tracks, bit for bit, in a shell.");
}

/** Saves the configuration of a request. @param {World} world @param {object} request */
export async function yaml(world, request) {
  const { head } = await first(world, "describe", request, null);
  if (!head.yaml) {
    show("YAML", make("p", {}, "Circuits have no configuration file: use the command instead."));
    return;
  }
  save(head.name, head.yaml, "application/yaml");
}

/**
 * Asks for a format, and saves the file.
 * @param {World} world
 * @param {{course: string, envs?: number, env?: number}} request
 * @param {ArrayBuffer | null} file
 * @param {{name: string, course: string, extension: string, single: boolean, doc: string, scaled: boolean}[]} formats
 * @param {number} scale
 * @param {(scale: number) => void} keep
 */
export function exportFile(world, request, file, formats, scale, keep) {
  const of = request.course === "gates" ? "gates" : "tracks";
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const metres = make("input", { type: "text", inputmode: "decimal", value: scale, id: "export-scale", size: 8 });
  const one = request.env !== undefined;
  const list = make("div", { class: "formats" });
  for (const format of formats.filter((f) => f.course === of)) {
    const about = format.doc + (format.single && !one ? "; one file each, in an archive" : "") + (format.scaled ? "; in metres" : "");
    const button = make("button", { type: "button", "data-format": format.name, onclick: async () => {
      problem.hidden = true;
      button.disabled = true;
      try {
        const number = Number(metres.value);
        const { head, body } = await first(world, "export",
          { ...request, format: format.name, scale: format.scaled && of && request.course !== "circuit" ? number : 0 }, file);
        keep(number);
        save(head.name, body);
      } catch (error) {
        problem.textContent = error instanceof Error ? error.message : String(error);
        problem.hidden = false;
      }
      button.disabled = false;
    } }, make("b", {}, format.name), " ", make("span", {}, about));
    list.append(button);
  }
  const scaleRow = request.course === "circuit" ? "" : make("p", {}, make("label", { for: "export-scale" }, "metres of a track unit "), metres);
  show(one ? "Export this one" : "Export these", scaleRow, list, problem);
}
