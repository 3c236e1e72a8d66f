import type { JwtPayload } from '@gatehouse/contract';
import { parse } from '../../lib/json/index.ts';
import type { LinkForChat } from './link.repository.ts';
import { filtersOf, type LinkFilters } from './link-filters.rules.ts';

/** What a link and its bot say about the assistant that answers behind it. */
export interface LinkedAssistant {
  readonly filters: LinkFilters;
  /** Whether anything that is said may be kept. */
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

/** Throws when the link's permission filter cannot be read any more. */
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

/** Whether conversations behind a link may be kept: unless it says otherwise. */
export function keepsHistory({ features }: Pick<JwtPayload, 'features'>): boolean {
  return features?.chatHistory ?? true;
}
