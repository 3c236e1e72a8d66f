import { randomUUIDv7 } from 'node:crypto';
import {
  type JwtPayload,
  type Link,
  type LinkRequest,
  type LinkState,
  type PreviewTarget,
  UUID,
  UUID_PATTERN,
} from '@gatehouse/contract';
import { matchesEverything } from '@gatehouse/filter';
import {
  type Page,
  type RecordedRequest,
  readCursor,
  readLimit,
  readTextCursor,
  toPage,
} from '../../http/index.ts';
import type { Access, Caller, SpaceAccess } from '../../identity/index.ts';
import { parseSpaceFilter } from '../../lib/filters/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { toTime } from '../../lib/scheduling/index.ts';
import { linkCreation, prepareFirstAction } from '../../platform/audit/index.ts';
import {
  type Database,
  type JoinedWrites,
  NO_WRITES,
  type WriteAtomically,
} from '../../storage/ports/index.ts';
import { type Exchange, exchange, type NewestConversation } from '../sessions/exchange.service.ts';
import { createExchangeCounter } from '../sessions/exchange-counter.ts';
import {
  requireActive,
  type WidgetCaller,
  type WidgetSessions,
} from '../sessions/widget-session.service.ts';
import { type FilteredActiveLink, newestActiveLinks } from './active-links.service.ts';
import { type LinkedAssistant, linkedAssistant } from './assistant.rules.ts';
import { filterRequired, noSuchLink } from './link.errors.ts';
import { createLinkRepository, type ExchangedLink } from './link.repository.ts';
import { expiryOf, stateOf, storedExpiry } from './link.rules.ts';
import { checkColumns, checkLink, storedChecks } from './link-checks.rules.ts';
import { filtersOf, type LinkFilters } from './link-filters.rules.ts';
import {
  createLinkListRepository,
  type ExpiryPosition,
  type ListedLink,
} from './link-list.repository.ts';
import {
  MAY_READ,
  MAY_WRITE,
  requestedSpace,
  spaceOfLink,
  spaceOfTarget,
} from './link-target.service.ts';
import { hashOf, prefixOf, TokenSource } from './link-token.rules.ts';
import { composePayload, type StoredTexts } from './payload.rules.ts';
import { type LinkPreview, previewLink } from './preview-link.service.ts';

export interface LinksOptions {
  readonly db: Database;
  readonly writeAtomically: WriteAtomically;
  /** `true` if no other process uses the store. */
  readonly isAlone: boolean;
  readonly access: Access;
  readonly sessions: WidgetSessions;
  readonly clock: Clock;
  readonly newestConversation: NewestConversation;
  /** `false`: the installation accepts no attachments. */
  readonly attachments: boolean;
  /** Called when a background write of exchange counts fails. */
  readonly onError: (error: unknown) => void;
}

export interface CreatedLink {
  readonly id: string;
  readonly spaceId: string;
  /** The plain token, which is not stored. */
  readonly token: string;
  /** JSON text of the JWT payload. */
  readonly payload: string;
}

export interface CreateOptions {
  /** The JSON bytes of the request. The payload copies their exact text. */
  readonly source: Uint8Array;
  readonly joined?: JoinedWrites<CreatedLink>;
  /** Makes the link the record of its request. */
  readonly recorded?: RecordedRequest;
}

export interface ListRequest {
  /** Default: the space of the caller's API key. */
  readonly spaceId?: string;
  readonly sub?: string;
  readonly state?: LinkState;
  readonly limit?: number;
  readonly after?: string;
}

/** The properties of an active link that can change while an answer is running. */
export type WatchedLink = Pick<LinkFilters, 'storedSpaceFilter'>;

/** Access links. Methods with a `Caller` check the caller's rights on the space and reject with `ApiError`. */
export interface Links {
  /**
   * Creates a link and stores it durably.
   *
   * @param request A request that passed the schema and `linkRequestIssues`.
   * @example
   * const { token } = await links.create(caller, body, { source: bytesOf(request.body) });
   */
  create(caller: Caller, request: LinkRequest, options: CreateOptions): Promise<CreatedLink>;
  /** Returns the links of a space, oldest first. With `state`: the links in this state, in the order of `exp`. */
  list(caller: Caller, request: ListRequest): Promise<Page<Link>>;
  /** Returns a link with its stored JSON. Throws 404 if the caller may not see the link. */
  show(caller: Caller, id: string): Promise<{ readonly link: Link } & StoredTexts>;
  /** Revokes a link and its sessions permanently. Idempotent. */
  revoke(caller: Caller, id: string): Promise<void>;
  /** Revokes all active links of a person in a space, with their sessions. Returns the number of revoked links. */
  revokeAll(
    caller: Caller,
    request: { readonly spaceId?: string; readonly sub: string },
  ): Promise<number>;
  /** Exchanges a token for a widget session. `token` may be any text. */
  exchange(token: string): Promise<Exchange>;
  /**
   * Returns the user of the link with this token, for requests without a widget session, or null if there is no such link.
   *
   * @param token may be any text.
   * @throws {ApiError} 410 if the link has expired or was revoked.
   */
  userOf(token: string): Promise<WidgetCaller | null>;
  /** Returns the space and the state of the link with this token, or null. */
  stateOfToken(
    token: string,
  ): Promise<{ readonly spaceId: string; readonly state: LinkState } | null>;
  /** Returns the filters of a widget session's link. Throws 401 or 410 if the link is not active. */
  filtersOf(widget: WidgetCaller): Promise<LinkFilters>;
  /** Returns the assistant of a widget session's link. Throws 401 or 410 if the link is not active. */
  assistantOf(widget: WidgetCaller): Promise<LinkedAssistant>;
  /** Returns the current state of a widget session's link. Throws 401 or 410 if the link is not active. */
  watch(widget: WidgetCaller): Promise<WatchedLink>;
  /**
   * Returns the assistant of an existing link or of a link that need not exist, for people who configure links.
   *
   * @throws {ApiError} 404 if the space has no such link, 410 if the link has expired or was revoked.
   */
  preview(space: SpaceAccess, target: PreviewTarget): Promise<LinkPreview>;
  /**
   * Yields at most `limit` active links, newest first, for people who configure links.
   *
   * @returns `true` if the space has no further active links.
   */
  newestActive(space: SpaceAccess, limit: number): AsyncGenerator<FilteredActiveLink, boolean>;
  /** Resolves when all previous exchanges are counted. Call this method before closing the database. */
  drain(): Promise<void>;
}

export function createLinks(options: LinksOptions): Links {
  const { db, writeAtomically, access, sessions, clock, newestConversation, attachments, onError } =
    options;
  const links = createLinkRepository(db, options.isAlone);
  const lists = createLinkListRepository(db);
  const tokens = new TokenSource();
  const counter = createExchangeCounter(links, onError);
  const hasNoFilter = async (spaceId: string) =>
    matchesEverything(parseSpaceFilter(await links.findSpaceFilter(spaceId)));
  const opened = prepareFirstAction(db);
  const recordOpening = async (link: ExchangedLink) => {
    const { id, spaceId, sub } = link;
    // Links also open while the disk is full. The next exchange then records the opening.
    await writeAtomically(opened({ action: 'link.opened', spaceId, resourceId: id, sub })).catch(
      onError,
    );
  };
  const exchangeDeps = {
    links,
    sessions,
    counter,
    clock,
    newestConversation,
    attachments,
    recordOpening,
  };
  return {
    async create(caller, request, { source, joined = NO_WRITES, recorded }) {
      const { spaceId } = await spaceOfTarget(access, links, caller, request);
      const checks = checkLink(request);
      const now = clock();
      const exp = expiryOf(request, now);
      const { payload, userInformation } = composePayload(source, spaceId, exp);
      const id = randomUUIDv7();
      const token = recorded?.token ?? tokens.newToken(spaceId);
      const tokenHash = recorded?.selectorHash ?? hashOf(token);
      const made = { id, spaceId, token, payload };
      const row = {
        id,
        space_id: spaceId,
        token_hash: tokenHash,
        token_prefix: prefixOf(token),
        sub: request.sub ?? null,
        payload,
        user_information: userInformation,
        bot_id: request.botId ?? null,
        exp: storedExpiry(exp),
        created_at: now,
        ...checkColumns(checks),
        ...linkCreation({ hasPermissionFilter: request.permissionFilter !== undefined }),
      };
      await writeAtomically([links.insertion(row, recorded), ...joined(made)]).catch(
        async (error: unknown) => {
          if (!checks.isRestricted && (await links.requiresFilter(spaceId))) throw filterRequired();
          throw error;
        },
      );
      return made;
    },

    async list(caller, { spaceId, sub, state, limit, after }) {
      const space = await access.space(caller, requestedSpace(caller, spaceId), MAY_READ);
      await counter.drain();
      const count = readLimit(limit);
      const which = { spaceId: space.spaceId, sub, count: count + 1 };
      const now = clock();
      const isUnfiltered = await hasNoFilter(space.spaceId);
      const format = (row: ListedLink) => toLink(row, now, isUnfiltered);
      if (state === undefined) {
        const rows = await lists.list(
          which,
          readCursor(after, { parameter: 'state', form: EXPIRY_CURSOR }),
        );
        return toPage(rows, count, (row) => row.id, format);
      }
      const rows = await lists.listByState(which, { state, now }, readExpiryCursor(after));
      return toPage(rows, count, expiryCursor, format);
    },

    async show(caller, id) {
      const { spaceId } = await spaceOfLink(access, links, caller, id, MAY_READ);
      await counter.drain();
      const row = await links.find(spaceId, id);
      if (row === null) throw noSuchLink();
      const { payload, user_information: userInformation } = row;
      const link = toLink(row, clock(), await hasNoFilter(spaceId));
      return { link, payload, userInformation };
    },

    async revoke(caller, id) {
      const { spaceId } = await spaceOfLink(access, links, caller, id, MAY_WRITE);
      if (!(await links.revoke(spaceId, id, clock()))) throw noSuchLink();
    },

    async revokeAll(caller, { spaceId, sub }) {
      const space = await access.space(caller, requestedSpace(caller, spaceId), MAY_WRITE);
      return lists.revokeAllOf(space.spaceId, sub, clock());
    },

    exchange: (token) => exchange(exchangeDeps, token),
    async userOf(token) {
      const link = await links.findByToken(token);
      if (link === null) return null;
      const user = sessions.userOf({ ...link, linkId: link.id });
      if (!link.isOpened && !counter.isCounted(link.id)) {
        counter.count(link.spaceId, link.id, clock());
        await recordOpening(link);
      }
      return user;
    },
    async stateOfToken(token) {
      const link = await links.findLifetimeByToken(token);
      return link === null ? null : { spaceId: link.spaceId, state: stateOf(link, clock()) };
    },
    async filtersOf({ spaceId, linkId }) {
      const link = await links.findFiltered(spaceId, linkId);
      requireActive(link, clock());
      return filtersOf(parse(link.payload) as JwtPayload, link.spaceFilter);
    },
    async assistantOf({ spaceId, linkId }) {
      const link = await links.findForChat(spaceId, linkId);
      requireActive(link, clock());
      return linkedAssistant(parse(link.payload) as JwtPayload, link);
    },
    async watch({ spaceId, linkId }) {
      const link = await links.findWatched(spaceId, linkId);
      requireActive(link, clock());
      return { storedSpaceFilter: link.spaceFilter };
    },
    preview: (space, target) => previewLink({ links, clock }, space, target),
    async *newestActive({ spaceId }, limit) {
      await counter.drain();
      const now = clock();
      const isUnfiltered = await hasNoFilter(spaceId);
      const format = (row: ListedLink) => toLink(row, now, isUnfiltered);
      return yield* newestActiveLinks({ links, lists, toLink: format, now }, spaceId, limit);
    },
    drain: () => counter.drain(),
  };
}

const EXPIRY_CURSOR = new RegExp(`^([\\d.e+]{1,30}):(${UUID_PATTERN.slice(1, -1)})$`);

function expiryCursor({ exp, id }: ListedLink): string {
  return `${exp}:${id}`;
}

function readExpiryCursor(cursor: string | undefined): ExpiryPosition | null {
  const text = readTextCursor(cursor, EXPIRY_CURSOR, { parameter: 'state', form: UUID });
  if (text === null) return null;
  const [exp = '', id = ''] = text.split(':');
  return { exp: Number(exp), id };
}

/**
 * @param now Unix milliseconds.
 * @param isUnfiltered `true` if the space has no permission filter.
 */
function toLink(row: ListedLink, now: number, isUnfiltered: boolean): Link {
  const { isRestricted, warnings } = storedChecks(row);
  return {
    id: row.id,
    spaceId: row.space_id,
    tokenPrefix: row.token_prefix,
    sub: row.sub,
    state: stateOf({ exp: row.exp, revokedAt: row.revoked_at }, now),
    exp: row.exp,
    createdAt: toTime(row.created_at),
    revokedAt: toTime(row.revoked_at),
    exchanges: row.exchanges,
    lastExchangedAt: toTime(row.last_exchanged_at),
    unrestricted: isUnfiltered && !isRestricted,
    warnings: [...warnings],
  };
}
