import { randomUUIDv7 } from 'node:crypto';
import type { JwtPayload, Link, LinkRequest } from '@gatehouse/contract';
import { type Page, readCursor, readLimit, toPage } from '../../http/index.ts';
import type { Access, Caller } from '../../identity/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { type Exchange, exchange, type NewestConversation } from '../sessions/exchange.service.ts';
import { createExchangeCounter } from '../sessions/exchange-counter.ts';
import {
  requireActiveLink,
  type WidgetCaller,
  type WidgetSessions,
} from '../sessions/widget-session.service.ts';
import { type LinkedAssistant, linkedAssistant } from './assistant.rules.ts';
import { invalidSession, noSuchLink } from './link.errors.ts';
import { createLinkRepository, type ListedLink } from './link.repository.ts';
import { expiryOf, hashOf, newToken, prefixOf, stateOf } from './link.rules.ts';
import { filtersOf, type LinkFilters } from './link-filters.rules.ts';
import {
  MAY_READ,
  MAY_WRITE,
  nameOfSpace,
  spaceOfLink,
  spaceOfTarget,
} from './link-target.service.ts';
import { composePayload, type StoredTexts } from './payload.rules.ts';

export interface LinksOptions {
  readonly db: Database;
  readonly access: Access;
  readonly sessions: WidgetSessions;
  readonly clock: Clock;
  readonly newestConversation: NewestConversation;
  /** Counting an exchange failed; nobody waits for it. */
  readonly onError: (error: unknown) => void;
}

/** A link that was just made, with the one copy of its token. */
export interface MadeLink {
  readonly id: string;
  readonly token: string;
  /** The JWT payload, JSON. */
  readonly payload: string;
}

export interface ListRequest {
  /** Absent: the space of the key. */
  readonly spaceId?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** Access links. Whoever calls is asked for their right on the space: refusals are `ApiError`s. */
export interface Links {
  /**
   * Makes a link; when it resolves, the link is on disk.
   *
   * @param request checked by the schema and by `linkRequestIssues`.
   * @param source the same as it was sent, JSON, from which the payload is copied.
   */
  create(caller: Caller, request: LinkRequest, source: Uint8Array): Promise<MadeLink>;
  /** The links of a space, oldest first. */
  list(caller: Caller, request: ListRequest): Promise<Page<Link>>;
  /** One link with its stored JSON; 404 when the caller sees none. */
  show(caller: Caller, id: string): Promise<{ readonly link: Link } & StoredTexts>;
  /** Ends a link for good, and with it the sessions that came from it; again is no error. */
  revoke(caller: Caller, id: string): Promise<void>;
  /** Any text may be tried as a token. */
  exchange(token: string): Promise<Exchange>;
  /** The space of the link with this token, ended or not; null for any other text. */
  spaceOfToken(token: string): Promise<string | null>;
  /** What the link of a widget session lets its user see. */
  filtersOf(widget: WidgetCaller): Promise<LinkFilters>;
  /** What the link of a widget session says about its assistant. */
  assistantOf(widget: WidgetCaller): Promise<LinkedAssistant>;
  /** Throws 401 or 410 once the link of a widget session has ended. */
  requireActiveLink(widget: WidgetCaller): Promise<void>;
  /** Resolves when the exchanges so far are counted. Needed before the database closes. */
  drain(): Promise<void>;
}

export function createLinks(options: LinksOptions): Links {
  const { db, access, sessions, clock, newestConversation, onError } = options;
  const links = createLinkRepository(db);
  const counter = createExchangeCounter(links, onError);
  const exchangeDeps = { links, sessions, counter, clock, newestConversation };
  return {
    async create(caller, request, source) {
      const { spaceId } = await spaceOfTarget(access, links, caller, request);
      const now = clock();
      const exp = expiryOf(request, now);
      const { payload, userInformation } = composePayload(source, spaceId, exp);
      const id = randomUUIDv7();
      const token = newToken();
      await links.insert({
        id,
        space_id: spaceId,
        token_hash: hashOf(token),
        token_prefix: prefixOf(token),
        sub: request.sub ?? null,
        payload,
        user_information: userInformation,
        bot_id: request.botId ?? null,
        exp,
        created_at: now,
      });
      return { id, token, payload };
    },

    async list(caller, { spaceId, limit, after }) {
      const space = await access.space(caller, nameOfSpace(caller, spaceId), MAY_READ);
      await counter.drain();
      const count = readLimit(limit);
      const rows = await links.list(space.spaceId, readCursor(after), count + 1);
      const now = clock();
      return toPage(
        rows,
        count,
        (row) => row.id,
        (row) => toLink(row, now),
      );
    },

    async show(caller, id) {
      const { spaceId } = await spaceOfLink(access, links, caller, id, MAY_READ);
      await counter.drain();
      const row = await links.find(spaceId, id);
      if (row === null) throw noSuchLink();
      const { payload, user_information: userInformation } = row;
      return { link: toLink(row, clock()), payload, userInformation };
    },

    async revoke(caller, id) {
      const { spaceId } = await spaceOfLink(access, links, caller, id, MAY_WRITE);
      if (!(await links.revoke(spaceId, id, clock()))) throw noSuchLink();
    },

    exchange: (token) => exchange(exchangeDeps, token),
    spaceOfToken: (token) => links.findSpaceByToken(hashOf(token)),
    async filtersOf({ spaceId, linkId }) {
      const row = await links.find(spaceId, linkId);
      if (row === null) throw invalidSession();
      return filtersOf(parse(row.payload) as JwtPayload);
    },
    async assistantOf({ spaceId, linkId }) {
      const link = await links.findForChat(spaceId, linkId);
      if (link === null) throw invalidSession();
      return linkedAssistant(link);
    },
    requireActiveLink: (widget) => requireActiveLink({ links, clock }, widget),
    drain: () => counter.drain(),
  };
}

/** @param now Unix milliseconds. */
function toLink(row: ListedLink, now: number): Link {
  return {
    id: row.id,
    spaceId: row.space_id,
    tokenPrefix: row.token_prefix,
    sub: row.sub,
    state: stateOf({ exp: row.exp, revokedAt: row.revoked_at }, now),
    exp: row.exp,
    createdAt: toTime(row.created_at),
    revokedAt: row.revoked_at === null ? null : toTime(row.revoked_at),
    exchanges: row.exchanges,
    lastExchangedAt: row.last_exchanged_at === null ? null : toTime(row.last_exchanged_at),
  };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
