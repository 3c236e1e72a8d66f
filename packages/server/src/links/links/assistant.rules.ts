import type { JwtPayload, WidgetSession } from '@gatehouse/contract';
import { parse } from '../../lib/json/index.ts';
import type { AnsweringBot, LinkForChat } from './link.repository.ts';
import { filtersOf, type LinkFilters } from './link-filters.rules.ts';

/** The assistant behind a link, as the link and its bot define it. */
export interface LinkedAssistant {
  readonly filters: LinkFilters;
  /** Whether conversations may be stored. */
  readonly chatHistory: boolean;
  readonly bot: LinkForChat['bot'];
  readonly systemPromptInsertion: string | null;
  /** Facts about where the assistant is embedded; null when none were given. */
  readonly context: unknown;
  /** Facts about the user; null when none were given. */
  readonly userInformation: unknown;
  /** The language of the widget (BCP 47), or null. */
  readonly locale: string | null;
}

/** Returns the assistant behind a link. Throws if the stored permission filter cannot be parsed. */
export function linkedAssistant({ payload, userInformation, bot }: LinkForChat): LinkedAssistant {
  const claims = parse(payload) as JwtPayload;
  const { locale } = claims.widget ?? {};
  return {
    filters: filtersOf(claims),
    chatHistory: keepsHistory(claims),
    bot,
    systemPromptInsertion: claims.systemPromptInsertion ?? null,
    context: claims.context ?? null,
    userInformation: userInformation === null ? null : parse(userInformation),
    locale: typeof locale === 'string' ? locale : null,
  };
}

/** Reports whether conversations behind a link may be stored. Default: yes. */
export function keepsHistory({ features }: Pick<JwtPayload, 'features'>): boolean {
  return features?.chatHistory ?? true;
}

/**
 * Returns how the assistant presents itself. Members of the link's `widget` override those of the bot; a member of
 * the wrong type is ignored.
 */
export function presentationOf(
  { widget = {} }: Pick<JwtPayload, 'widget'>,
  bot: AnsweringBot,
): WidgetSession['assistant'] {
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
