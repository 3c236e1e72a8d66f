import { ChatElement, NAME, script } from './chat-element.ts';

customElements.get(NAME) ?? customElements.define(NAME, ChatElement);

/** Calls that the page queued before this script loaded, or the element of an earlier script. */
const page = window as unknown as { Gatehouse?: ChatElement | unknown[][] };
const before = page.Gatehouse;
const chat = document.createElement(NAME) as ChatElement;
if (!(before as ChatElement | undefined)?.isLive) page.Gatehouse = chat;

const { dataset } = script;
const standsInPlace = dataset['mode'] === 'inline' && !dataset['target'];
if (standsInPlace && document.body?.contains(script)) script.after(chat);
if (dataset['token'] || dataset['getToken']) chat.init(dataset);
if (Array.isArray(before)) chat.push(...(before as [string][]));
