// @ts-check
// What a person sees behind a link. It keeps the session in memory, so that it needs neither cookies
// nor storage, which browsers deny to framed pages.
//
//   asking ──200──▶ open ──before the session ends──▶ asking
//   asking ──401, 410──▶ over
//   asking ──429, 5xx, no connection──▶ waiting ──later──▶ asking
//
// While it is asking again or waiting, an open assistant stays as it is until its session has ended.

const RENEW_AT = 0.8;
const FIRST_WAIT_SECONDS = 2;
const LONGEST_WAIT_SECONDS = 60;

/** @typedef {{ heading: string, text: string, button?: { label: string, url: string } | { label: string, press: () => void } }} Notice */

const token = location.pathname.slice(location.pathname.lastIndexOf('/') + 1);
const headingPart = part('heading');
const messagePart = part('status');
const morePart = part('more');

let asking = false;
let sessionEnds = 0;
let nextAsk = Number.POSITIVE_INFINITY;
let failures = 0;
/** @type {number | undefined} */
let timer;

ask();
// A sleeping computer stops timers; the session may have ended meanwhile.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && Date.now() >= nextAsk) ask();
});
window.addEventListener('online', () => {
  if (nextAsk !== Number.POSITIVE_INFINITY) ask();
});

async function ask() {
  if (asking) return;
  asking = true;
  clearTimeout(timer);
  nextAsk = Number.POSITIVE_INFINITY;
  const answer = await exchange();
  asking = false;
  understand(answer);
}

/** Null when no answer came. */
async function exchange() {
  try {
    const answer = await fetch('/assistant-link/exchange', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ linkToken: decodeURIComponent(token) }),
      credentials: 'omit',
    });
    const retryAfter = Number(answer.headers.get('retry-after'));
    return { status: answer.status, retryAfter, body: await answer.json() };
  } catch {
    return null;
  }
}

/** @param {Awaited<ReturnType<typeof exchange>>} answer */
function understand(answer) {
  const button = { label: 'Try now', press: ask };
  if (answer === null)
    return wait(backoff(), {
      heading: 'No connection',
      text: 'The assistant cannot be reached at the moment. We keep trying.',
      button,
    });
  switch (answer.status) {
    case 200:
      return enter(answer.body);
    case 410:
      return show(ended(answer.body));
    case 400:
    case 401:
      return show(unknown());
    default:
      return wait(answer.retryAfter || backoff(), {
        heading: 'Please wait a moment',
        text: 'The assistant is very busy. It opens by itself as soon as it can.',
        button,
      });
  }
}

/** @param {any} session the answer of the exchange */
function enter({ expiresIn, assistant }) {
  failures = 0;
  const wasOpen = Date.now() < sessionEnds;
  sessionEnds = Date.now() + expiresIn * 1000;
  askIn(Math.max(1, expiresIn * RENEW_AT));
  if (wasOpen) return;
  dress(assistant.theme);
  say(assistant.title || assistant.name, assistant.greeting ?? '');
  const language = knownLocale(assistant.locale);
  if (language !== null) messagePart.lang = language;
  // A title says what the assistant is here for; its name says who answers.
  if (assistant.title) morePart.append(element('h2', assistant.name));
  if (assistant.suggestions.length === 0) return;
  const list = element('ul');
  if (language !== null) list.lang = language;
  list.append(
    .../** @type {string[]} */ (assistant.suggestions).map((text) => element('li', text)),
  );
  morePart.append(element('h2', 'You could ask'), list);
}

/**
 * @param {number} seconds
 * @param {Notice} notice shown only when no session is open
 */
function wait(seconds, notice) {
  askIn(seconds);
  if (Date.now() >= sessionEnds) show(notice);
}

/** @param {number} seconds */
function askIn(seconds) {
  nextAsk = Date.now() + seconds * 1000;
  timer = setTimeout(ask, seconds * 1000);
}

/** Twice as long after each failure in a row. */
function backoff() {
  failures += 1;
  return Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (failures - 1));
}

/**
 * @param {{ code?: unknown, loginUrl?: unknown }} problem
 * @returns {Notice}
 */
function ended({ code, loginUrl }) {
  const url = loginTarget(loginUrl);
  const todo =
    url === null ? 'Please ask for a new one where you got it.' : 'Please sign in again to go on.';
  const notice =
    code === 'links.revoked'
      ? { heading: 'This link was withdrawn', text: `It can no longer be used. ${todo}` }
      : { heading: 'This link has expired', text: `It was valid for a limited time. ${todo}` };
  return url === null ? notice : { ...notice, button: { label: 'Sign in again', url } };
}

/** @returns {Notice} */
function unknown() {
  return {
    heading: 'We do not know this link',
    text: 'Perhaps a part of it was lost when it was copied. Please check it, or ask for a new one where you got it.',
  };
}

/** @param {Notice} notice */
function show({ heading, text, button }) {
  sessionEnds = 0;
  say(heading, text);
  if (button === undefined) return;
  const pressed = element('url' in button ? 'a' : 'button', button.label);
  pressed.className = 'button';
  if (pressed instanceof HTMLAnchorElement && 'url' in button) {
    pressed.href = button.url;
    pressed.target = '_top';
    pressed.rel = 'noreferrer';
  } else if ('press' in button) pressed.addEventListener('click', button.press);
  morePart.append(pressed);
}

/**
 * Where the button leads: an http(s) URL, or a path of the page that embeds this one, if the browser
 * tells which that is. Null for anything else.
 *
 * @param {unknown} loginUrl
 */
function loginTarget(loginUrl) {
  if (typeof loginUrl !== 'string' || !/^(https?:\/\/|\/(?![/\\]))/i.test(loginUrl)) return null;
  const framed = window.parent !== window;
  const embedder = framed ? URL.parse(document.referrer) : null;
  const url = URL.parse(loginUrl, embedder?.origin ?? location.origin);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/**
 * @param {string} title
 * @param {string} text
 */
function say(title, text) {
  document.title = title;
  headingPart.textContent = title;
  messagePart.removeAttribute('lang');
  // Said again only when it is new, since a screen reader reads out every change.
  if (messagePart.textContent !== text) messagePart.textContent = text;
  morePart.replaceChildren();
}

/** @param {{ mode?: unknown, accent?: unknown }} theme */
function dress({ mode, accent }) {
  const { style } = document.documentElement;
  if (mode === 'light' || mode === 'dark') style.colorScheme = mode;
  if (typeof accent !== 'string' || !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(accent)) return;
  style.setProperty('--accent', accent);
  style.setProperty('--on-accent', isLight(accent) ? '#10131a' : '#ffffff');
}

/**
 * Whether black reads better than white on a colour (WCAG 2.2, relative luminance).
 *
 * @param {string} hex
 */
function isLight(hex) {
  const long = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex;
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(long.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0) > 0.179;
}

/** @param {unknown} locale */
function knownLocale(locale) {
  try {
    return typeof locale === 'string' ? (Intl.getCanonicalLocales(locale)[0] ?? null) : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} tag
 * @param {string} [text]
 */
function element(tag, text = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** @param {string} id */
function part(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
