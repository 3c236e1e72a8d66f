import './styles/frame.css';
import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { Api } from './api/api.ts';
import { Chat } from './chat/chat.ts';
import { Draft } from './chat/draft.ts';
import { Frame } from './components/frame.tsx';
import { Spoken } from './components/strings-context.ts';
import { Host } from './host-page.ts';
import { lookOf, titleOf } from './session/appearance.ts';
import { LinkSession, stateOf } from './session/link-session.ts';
import { applyTheme } from './styles/theme.ts';
import { en } from './translations/en.ts';
import { direction, type Language, loadWords, pickLanguage } from './translations/languages.ts';
import type { Words } from './translations/strings.ts';

// Puts the frame together: this file alone sees every room of it.

const root = document.documentElement;
const here = new URL(location.href);
const embedders = (root.dataset['embedders'] ?? '').split(' ').filter((origin) => origin !== '');

const host = new Host([here.origin, ...embedders]);
const linkToken = decodeURIComponent(here.pathname.slice(here.pathname.lastIndexOf('/') + 1));
const link = new LinkSession(linkToken, () => host.renew());
const api = new Api(link);
const chat = new Chat({
  api,
  isKept,
  context: () => host.context.peek(),
  onLinkEnded: () => void link.lookAgain(),
  onQuestion: () => host.tell({ type: 'question' }),
  onAnswer: (state) => host.tell({ type: 'answer', state }),
});
const draft = new Draft(isKept);
const words = signal<Words>(en);

function openSession() {
  const view = link.view.peek();
  return view.kind === 'open' ? view.session : null;
}

function isKept(): boolean {
  return openSession()?.features.chatHistory ?? false;
}

let wanted: Language | null = null;
/** The language of the frame: as the page says, else the link, else the browser. */
effect(() => {
  const view = link.view.value;
  const ofLink = view.kind === 'open' ? view.session.assistant.locale : null;
  const language = pickLanguage([host.locale.value, ofLink, ...navigator.languages]);
  wanted = language;
  void loadWords(language).then((loaded) => {
    if (wanted !== language) return;
    root.lang = loaded.language;
    root.dir = direction(loaded.language);
    words.value = loaded.words;
  });
});

/** The page is named and dressed as the link says. */
effect(() => {
  const view = link.view.value;
  if (view.kind !== 'open') return;
  document.title = titleOf(view.session);
  applyTheme(view.session.assistant.theme, root.style);
});

/** The embedding page, as soon as it has spoken, is told how the link stands. */
effect(() => {
  const view = link.view.value;
  if (host.mode.value === null) return;
  host.tell({ type: 'state', state: stateOf(view) });
  if (view.kind === 'open') host.tell(lookOf(view.session));
});

let person: string | null = null;
/** A person finds the talk and the draft where they left them, and never those of another. */
effect(() => {
  const view = link.view.value;
  if (view.kind !== 'open' || view.person === person) return;
  person = view.person;
  const { conversationId, features, jwtPayload } = view.session;
  draft.belongTo(jwtPayload.spaceId, person);
  if (features.chatHistory && conversationId !== null) void chat.open(conversationId);
  else chat.startNew();
});

render(
  <Spoken.Provider value={words}>
    <Frame link={link} host={host} api={api} chat={chat} draft={draft} />
  </Spoken.Provider>,
  document.body,
);

void link.ask();
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') link.catchUp();
});
// Whoever uses the key for something else keeps it from coming here.
document.addEventListener('keydown', ({ key }) => {
  const mode = host.mode.peek();
  if (key === 'Escape' && (mode === 'bubble' || mode === 'panel')) host.tell({ type: 'close' });
});
window.addEventListener('online', () => link.tryNow());
window.addEventListener('offline', () => {
  link.isReached.value = false;
});
