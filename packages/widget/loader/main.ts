import { ChatElement, checkOptions, NAME, script } from './chat-element.ts';

customElements.get(NAME) ?? customElements.define(NAME, ChatElement);

/** `Gatehouse` contains the calls that the page queued, or the element of an earlier script. */
const page = window as unknown as { Gatehouse?: ChatElement | unknown[][] };
const existing = page.Gatehouse;
const chat = document.createElement(NAME) as ChatElement;
if (!(existing as ChatElement | undefined)?.isLive) page.Gatehouse = chat;

const { dataset } = script;
const isInline = dataset['mode'] === 'inline' && !dataset['target'];
if (isInline && script.closest('body')) script.after(chat);
if (dataset['token'] || dataset['getToken']) chat.push(['init', dataset]);
else checkOptions(dataset);
if (Array.isArray(existing)) chat.push(...(existing as [string][]));
