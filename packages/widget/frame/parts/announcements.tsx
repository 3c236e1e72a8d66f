import type { Message } from '../chat/message.ts';

export function Announcements(_: { readonly messages: readonly Message[] }) {
  return null;
}
