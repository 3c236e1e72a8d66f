import type { WidgetSession } from '@gatehouse/contract';
import type { ToHost } from '../../protocol/messages.ts';
import { readColour } from '../styles/colours.ts';

const LONGEST_NAME = 200;

/** What the assistant is called: as the link says, else by the bot's name. */
export function titleOf({ assistant }: Pick<WidgetSession, 'assistant'>): string {
  return asName(assistant.title ?? '') || assistant.name;
}

/** A text of a link's maker as something short: it may be of any length. */
export function asName(text: string): string {
  return text.slice(0, LONGEST_NAME).trim();
}

/** How the link presents itself, for the embedding page. */
export function lookOf(session: WidgetSession): Extract<ToHost, { type: 'look' }> {
  const position = session.jwtPayload.widget?.['position'];
  return {
    type: 'look',
    title: titleOf(session),
    accent: readColour(session.assistant.theme['accent']),
    position: position === 'left' || position === 'right' ? position : null,
  };
}
