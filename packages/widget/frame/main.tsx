// Composition root of the frame.
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/conversation.css';
import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { isQuestion } from '../protocol/messages.ts';
import { Api } from './api/api.ts';
import { Chat } from './chat/chat.ts';
import { Draft } from './chat/draft.ts';
import { Frame } from './components/frame.tsx';
import { StringsContext } from './components/strings-context.ts';
import { type EarlyQuestion, earlyField, takeEarlyQuestion } from './early.ts';
import { HostPage } from './host-page.ts';
import { appearanceMessage, assistantTitle } from './session/appearance.ts';
import { LinkSession, stateOf } from './session/link-session.ts';
import { applyTheme, type Theme } from './styles/theme.ts';
import { en } from './translations/en.ts';
import { direction, type Language, loadStrings, pickLanguage } from './translations/languages.ts';
import type { Strings } from './translations/strings.ts';

/** Time in milliseconds after which a page with an unused text field shows that the link is still opening. */
const MAX_WAIT_MS = 1000;

const root = document.documentElement;
const here = new URL(location.href);
const embedders = (root.dataset['embedders'] ?? '').split(' ').filter((origin) => origin !== '');

const host = new HostPage([here.origin, ...embedders]);
const linkToken = decodeURIComponent(here.pathname.slice(here.pathname.lastIndexOf('/') + 1));
const link = new LinkSession(linkToken, () => host.requestToken());
const api = new Api(link);
const chat = new Chat({
  api,
  isHistoryOn,
  host,
  onLinkEnded: () => void link.expire(),
});
const draft = new Draft(isHistoryOn);
const strings = signal<Strings>(en);

function isHistoryOn(): boolean {
  const view = link.view.peek();
  return view.kind === 'open' && view.session.features.chatHistory;
}

let requestedLanguage: Language | null = null;
/**
 * Sets the language. The order of precedence is: language of the page, language of the link, languages of the browser.
 */
effect(() => {
  const view = link.view.value;
  const linkLocale = view.kind === 'open' ? view.session.assistant.locale : null;
  const language = pickLanguage([host.locale.value, linkLocale, ...navigator.languages]);
  requestedLanguage = language;
  void loadStrings(language).then((loaded) => {
    if (requestedLanguage !== language) return;
    root.lang = loaded.language;
    root.dir = direction(loaded.language);
    strings.value = loaded.strings;
  });
});

let theme: Theme = {};
effect(() => {
  const view = link.view.value;
  if (view.kind === 'open') {
    document.title = assistantTitle(view.session);
    theme = view.session.assistant.theme;
  }
  applyTheme(theme, root.style, host.theme.value);
});

/** Reports the state of the link to the embedding page after `init`. */
effect(() => {
  const view = link.view.value;
  if (host.mode.value === null) return;
  host.send({ type: 'state', state: stateOf(view) });
  if (view.kind === 'open') host.send(appearanceMessage(view.session));
});

/** The text field that the page shows before this script runs, until the first render replaces or takes over the field. */
const field = earlyField();
const NOTHING: EarlyQuestion = { text: '', isSent: false };
/** The question in `field`. `null` until it was read. */
let early: EarlyQuestion | null = null;

let person: string | null = null;
/**
 * When the person changes, switches to the new person's draft, and to the person's stored conversation or a new one.
 * Then processes the questions of the page.
 */
effect(() => {
  const view = link.view.value;
  if (view.kind !== 'open') return;
  if (view.person !== person) {
    person = view.person;
    const { conversationId, features, jwtPayload } = view.session;
    draft.setOwner(jwtPayload.spaceId, person);
    if (features.chatHistory && conversationId !== null) void chat.open(conversationId);
    else chat.startNew();
    if (early === null) early = takeEarlyQuestion(field);
    if (early.isSent && isQuestion(early.text))
      host.questions.value = [{ text: early.text, send: true }, ...host.questions.peek()];
    else if (early.text !== '') draft.write(`${draft.text.peek()}${early.text}`);
    early = NOTHING;
  }
  const [question, ...rest] = host.questions.value;
  if (question === undefined || (question.send && chat.isAnswering.value)) return;
  host.questions.value = rest;
  if (question.send) chat.ask(question.text.trim());
  else draft.write(question.text);
});

let isRendered = false;
function renderFrame(): void {
  if (isRendered) return;
  isRendered = true;
  early ??= takeEarlyQuestion(field);
  render(
    <StringsContext.Provider value={strings}>
      <Frame link={link} host={host} api={api} chat={chat} draft={draft} />
    </StringsContext.Provider>,
    document.body,
  );
}

// The first render takes over the elements of the page that the open frame has too, such as the text field with its text,
// selection and focus. Rendering the state `opening` would replace them.
effect(() => {
  if (field === null || link.view.value.kind !== 'opening') renderFrame();
});
setTimeout(() => {
  if (document.activeElement !== field) renderFrame();
}, MAX_WAIT_MS);

void link.refresh();
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') link.refreshIfDue();
});
// Components that handle Escape themselves stop its propagation.
document.addEventListener('keydown', ({ key }) => {
  const mode = host.mode.peek();
  if (key === 'Escape' && (mode === 'bubble' || mode === 'panel')) host.send({ type: 'close' });
});
window.addEventListener('online', () => link.retryNow());
window.addEventListener('offline', () => {
  link.isReachable.value = false;
});
