import type { Bot, EventRetention, Member, Role, Space } from '@gatehouse/contract';

/** A space as it is stored, with its origins. */
export interface StoredSpace {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
  /** Unix milliseconds. */
  readonly created_at: number;
  /** Null: as the installation says; so is the next. */
  readonly events_max_age_days: number | null;
  readonly events_max_bytes: number | null;
}

/** A bot as it is stored. */
export interface StoredBot {
  readonly id: number;
  readonly space_id: string;
  readonly name: string;
  readonly system_prompt: string | null;
  readonly greeting: string | null;
  /** JSON array of strings. */
  readonly suggestions: string;
  readonly model: string | null;
}

/** A member of a bot as it is stored. */
export interface StoredMember {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/** A retention as it is stored; what is left out is as the installation says. */
export function retentionColumns({ maxAgeDays = null, maxBytes = null }: Partial<EventRetention>) {
  return { events_max_age_days: maxAgeDays, events_max_bytes: maxBytes };
}

export function formatSpace(space: StoredSpace): Space {
  return {
    id: space.id,
    name: space.name,
    allowedOrigins: [...space.origins],
    eventRetention: {
      maxAgeDays: space.events_max_age_days,
      maxBytes: space.events_max_bytes,
    },
    createdAt: new Date(space.created_at).toISOString(),
  };
}

export function formatBot(bot: StoredBot): Bot {
  return {
    id: bot.id,
    spaceId: bot.space_id,
    name: bot.name,
    systemPrompt: bot.system_prompt,
    greeting: bot.greeting,
    suggestions: JSON.parse(bot.suggestions) as string[],
    model: bot.model,
  };
}

export function formatMember(member: StoredMember): Member {
  return { userId: member.user_id, email: member.email, name: member.name, role: member.role };
}
