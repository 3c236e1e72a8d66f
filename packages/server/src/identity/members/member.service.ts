import type { Member, Role } from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { forbidden, roleOnBot } from '../access/access.errors.ts';
import type { BotAccess } from '../access/access.ts';
import { lastOwner, noSuchMember, noSuchUser } from '../spaces/space.errors.ts';
import { formatMember } from '../spaces/space.rules.ts';
import type { PeopleListQuery } from '../users/people-list.repository.ts';
import type { MemberRepository } from './member.repository.ts';

export interface MemberServiceDeps {
  readonly repository: MemberRepository;
  readonly clock: Clock;
}

export interface MemberService {
  list(bot: BotAccess, query: PeopleListQuery): Promise<Page<Member>>;
  /** Throws 404 `spaces.member-not-found`. */
  show(bot: BotAccess, userId: string): Promise<Member>;
  /** Throws 404 `spaces.user-not-found` or 409 `spaces.last-owner`. */
  put(bot: BotAccess, userId: string, role: Role): Promise<Member>;
  /** Idempotent. Throws 409 `spaces.last-owner`. */
  remove(bot: BotAccess, userId: string): Promise<void>;
}

export function createMemberService({ repository, clock }: MemberServiceDeps): MemberService {
  return {
    list: async (bot, query) => {
      const { limit } = query;
      const rows = await repository.list(bot, { ...query, limit: limit + 1 });
      return toPage(rows, limit, (row) => row.user_id, formatMember);
    },
    show: async (bot, userId) => {
      const member = await repository.find(bot, userId.toLowerCase());
      if (member === undefined) throw noSuchMember();
      return formatMember(member);
    },
    put: async (bot, userId, role) => {
      const result = await repository.put(bot, userId.toLowerCase(), role, clock());
      if (result === 'unknown-bot') throw forbidden(roleOnBot('owner'));
      if (result === 'unknown-user') throw noSuchUser();
      if (result === 'last-owner') throw lastOwner();
      return formatMember(result);
    },
    remove: async (bot, userId) => {
      const result = await repository.remove(bot, userId.toLowerCase());
      if (result === 'last-owner') throw lastOwner();
    },
  };
}
