import type { JwtPayload, WidgetSession } from '@gatehouse/contract';
import { parse } from '../../lib/json/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { acceptsAttachments, keepsHistory, presentationOf } from '../links/assistant.rules.ts';
import type { ExchangedLink, LinkRepository } from '../links/link.repository.ts';
import { stateOf } from '../links/link.rules.ts';
import { browserPayload } from '../links/payload.rules.ts';
import type { ExchangeCounter } from './exchange-counter.ts';
import type { SessionLink, WidgetSessions } from './widget-session.service.ts';

export type Exchange =
  | { readonly outcome: 'unknown' }
  | {
      readonly outcome: 'expired' | 'revoked';
      readonly spaceId: string;
      readonly loginUrl: string | undefined;
    }
  | {
      readonly outcome: 'active';
      readonly spaceId: string;
      readonly session: Omit<WidgetSession, 'jwtPayload'>;
      /** JSON text of the payload without the members that only the server needs. */
      readonly payload: string;
    };

/** Returns the newest conversation of a link's user, or null. */
export type NewestConversation = (
  link: Pick<SessionLink, 'spaceId' | 'linkId' | 'sub'>,
) => Promise<string | null>;

export interface ExchangeDeps {
  readonly links: LinkRepository;
  readonly sessions: WidgetSessions;
  readonly counter: ExchangeCounter;
  readonly clock: Clock;
  readonly newestConversation: NewestConversation;
  /** `false`: the installation accepts no attachments. */
  readonly attachments: boolean;
  /** Records the first opening of a link. Has no effect if it was recorded before. */
  readonly recordOpening: (link: ExchangedLink) => Promise<void>;
}

/**
 * A substitute for an invalid link. An exchange signs a session for the substitute and discards the result, so an exchange of an invalid
 * link takes about as long as that of an active one.
 */
const DECOY: SessionLink = {
  spaceId: '00000000-0000-7000-8000-000000000000',
  linkId: '00000000-0000-7000-8000-000000000000',
  sub: null,
  exp: Number.MAX_SAFE_INTEGER,
};

/** Exchanges the token of a link for a widget session. `token` may be any text. */
export async function exchange(deps: ExchangeDeps, token: string): Promise<Exchange> {
  const link = await deps.links.findByToken(token);
  const now = deps.clock();
  const state = link === null ? 'unknown' : stateOf(link, now);
  const { token: accessToken, expiresIn } = await deps.sessions.sign(
    link !== null && state === 'active' ? sessionLink(link) : DECOY,
  );
  if (link === null || state === 'unknown') {
    await deps.newestConversation(DECOY);
    return { outcome: 'unknown' };
  }
  const payload = parse(link.payload) as JwtPayload;
  const { spaceId } = link;
  if (state !== 'active') return { outcome: state, spaceId, loginUrl: payload.loginUrl };
  if (!link.isOpened) await deps.recordOpening(link);
  const chatHistory = keepsHistory(payload);
  deps.counter.count(spaceId, link.id, now);
  return {
    outcome: 'active',
    spaceId,
    session: {
      accessToken,
      tokenType: 'Bearer',
      expiresIn,
      assistant: presentationOf(payload, link.bot),
      features: {
        chatHistory,
        attachments: deps.attachments && acceptsAttachments(payload),
        handoff: chatHistory && link.hasHandoff,
      },
      conversationId: chatHistory ? await deps.newestConversation(sessionLink(link)) : null,
    },
    payload: browserPayload(link.payload),
  };
}

function sessionLink({ id, spaceId, sub, exp }: ExchangedLink): SessionLink {
  return { linkId: id, spaceId, sub, exp };
}
