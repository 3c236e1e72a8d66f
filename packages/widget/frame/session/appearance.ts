import type { WidgetSession } from '@gatehouse/contract';
import { isLogo } from '@gatehouse/contract/logo';
import type { ToHost } from '../../protocol/messages.ts';
import { parseColour } from '../styles/theme.ts';
import { isolate } from '../text/isolate.ts';

const MAX_LENGTH = 200;

/** Returns the title of the link, or the bot's name if the link has no title. */
export function assistantTitle({ assistant }: Pick<WidgetSession, 'assistant'>): string {
  return shorten(assistant.title ?? '') || isolate(assistant.name);
}

/** Truncates a string, such as the link's title, to 200 characters that cannot change the direction of other text. */
export function shorten(text: string): string {
  return isolate(text.slice(0, MAX_LENGTH)).trim();
}

/** Returns the link's logo as a `data:` URL, or `null` if the link has no usable logo. */
export function logoOf({ jwtPayload }: Pick<WidgetSession, 'jwtPayload'>): string | null {
  const logo = jwtPayload.widget?.['logo'];
  return isLogo(logo) ? logo : null;
}

/** Returns the message that describes the link's appearance to the embedding page. */
export function appearanceMessage(session: WidgetSession): Extract<ToHost, { type: 'look' }> {
  const position = session.jwtPayload.widget?.['position'];
  return {
    type: 'look',
    title: assistantTitle(session),
    accent: parseColour(session.assistant.theme['accent']),
    position: position === 'left' || position === 'right' ? position : null,
  };
}
