import type { JwtPayload, WidgetSession } from '@gatehouse/contract';

type Assistant = WidgetSession['assistant'];

/** The bot that answers behind a link. */
export interface Bot {
  readonly name: string;
  readonly greeting: string | null;
  readonly suggestions: readonly string[];
}

/**
 * How the assistant presents itself: as the link's `widget` says, else as the bot does. A member of
 * `widget` that has not the type that is expected of it counts as absent.
 */
export function assistantOf({ widget = {} }: Pick<JwtPayload, 'widget'>, bot: Bot): Assistant {
  const { title, greeting, suggestions, theme, locale } = widget;
  return {
    name: bot.name,
    title: isText(title) ? title : null,
    greeting: isText(greeting) ? greeting : bot.greeting,
    suggestions: isTexts(suggestions) ? suggestions : [...bot.suggestions],
    theme: isObject(theme) ? theme : {},
    locale: isText(locale) ? locale : null,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
