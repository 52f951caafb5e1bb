// Helpers to make elements. Texts are set as text, never as HTML.

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} [attributes] attributes; names that begin with "on" are listeners, "class" is the class
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** The element with an id, which is in the page. @param {string} id */
export function get(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** A value of a style of the theme. @param {string} name */
export function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Sets the pixels of a canvas to its size on the page. @param {HTMLCanvasElement} canvas @returns {number} density */
export function fit(canvas) {
  const density = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * density));
  const height = Math.max(1, Math.round(canvas.clientHeight * density));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return density;
}

/** Saves bytes as a file. @param {string} name @param {BlobPart} bytes @param {string} [type] */
export function save(name, bytes, type = "application/octet-stream") {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const anchor = make("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
