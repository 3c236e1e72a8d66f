import type { Budget, JwtPayload, WidgetSession } from '@gatehouse/contract';
import { isObject, parse } from '../../lib/json/index.ts';
import type { AnsweringBot, AssistantOfLink } from './filtered-link.repository.ts';
import { filtersOf, type LinkFilters } from './link-filters.rules.ts';

export interface LinkedAssistant {
  readonly filters: LinkFilters;
  /** The payload of the link. */
  readonly claims: JwtPayload;
  /** `false`: conversations must not be stored. */
  readonly chatHistory: boolean;
  /** `false`: the chat accepts no attachments. */
  readonly attachments: boolean;
  /** `false`: answers suggest no further questions. */
  readonly suggestions: boolean;
  /** `true`: the reasoning of a model is shown. */
  readonly reasoning: boolean;
  readonly bot: AssistantOfLink['bot'];
  /** The name and texts that the widget shows. */
  readonly texts: Pick<WidgetSession['assistant'], 'name' | 'title' | 'greeting' | 'suggestions'>;
  /** `true` if visitors can ask for a person. Always `false` without stored conversations. */
  readonly hasHandoff: boolean;
  readonly systemPromptInsertion: string | null;
  /** Facts about the embedding page, or null. */
  readonly context: unknown;
  /** Facts about the user, or null. */
  readonly userInformation: unknown;
  /** Limits for models, or null. */
  readonly budgets: { readonly space: Budget | null; readonly link: Budget | null };
  /** Language tag of the widget (BCP 47), or null. */
  readonly locale: string | null;
}

/** Returns the assistant of a link. Throws if a stored permission filter cannot be parsed. */
export function linkedAssistant(
  claims: JwtPayload,
  { userInformation, bot, spaceFilter, spaceBudget }: Omit<AssistantOfLink, 'payload'>,
): LinkedAssistant {
  const { locale } = claims.widget ?? {};
  return {
    filters: filtersOf(claims, spaceFilter),
    claims,
    chatHistory: keepsHistory(claims),
    attachments: acceptsAttachments(claims),
    suggestions: (claims.features?.suggestions ?? true) === true,
    reasoning: claims.features?.reasoning === true,
    bot,
    texts: presentationOf(claims, bot),
    hasHandoff: keepsHistory(claims) && bot.handoff !== null,
    systemPromptInsertion: claims.systemPromptInsertion ?? null,
    context: claims.context ?? null,
    userInformation: userInformation === null ? null : parse(userInformation),
    budgets: {
      space: spaceBudget === null ? null : (parse(spaceBudget) as Budget),
      link: claims.budget ?? null,
    },
    locale: typeof locale === 'string' ? locale : null,
  };
}

/** Reports whether conversations of a link may be stored. Default `true`. */
export function keepsHistory({ features }: Pick<JwtPayload, 'features'>): boolean {
  return features?.chatHistory ?? true;
}

/** Reports whether a link permits attachments. The settings of the installation can still disable them. Default `true`. */
export function acceptsAttachments({ features }: Pick<JwtPayload, 'features'>): boolean {
  // Links of earlier releases can have a value of another type.
  return features?.attachments === undefined || features.attachments === true;
}

/**
 * Returns the name, texts and theme that the widget shows. Members of the link's `widget` override those of the bot.
 * Members of the wrong type are ignored.
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
