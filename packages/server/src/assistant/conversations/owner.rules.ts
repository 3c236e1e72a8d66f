import { createHash } from 'node:crypto';

/** PostgreSQL limits an index entry to 2,700 bytes. The entry of a conversation also contains the IDs of its space and its chat. */
const MAX_SUB_BYTES = 1500;
/** Number of characters of a longer `sub` that are stored. */
const SHORTENED = 100;

/** The owner of conversations. Derived from the link, never from data of the client. */
export interface Owner {
  readonly spaceId: string;
  /** The `sub`, a long `sub` shortened with its hash, or the ID of the link. A prefix distinguishes the three. */
  readonly name: string;
  /** The link whose deletion also deletes the conversations. `null` if the conversations belong to a `sub`. */
  readonly linkId: string | null;
}

/**
 * Returns the owner of a link's conversations: the `sub` in its space, or the link if there is no `sub`. An empty `sub` is
 * ignored, because otherwise all links with an empty `sub` would share a history.
 */
export function ownerOf(link: {
  readonly spaceId: string;
  readonly linkId: string;
  readonly sub: string | null;
}): Owner {
  const { spaceId, linkId, sub } = link;
  return sub === null || sub === ''
    ? { spaceId, name: `link:${linkId}`, linkId }
    : ownerOfSub(spaceId, sub);
}

/** @param sub not empty. */
export function ownerOfSub(spaceId: string, sub: string): Owner {
  const isLong = Buffer.byteLength(sub) > MAX_SUB_BYTES;
  return { spaceId, name: isLong ? `long-sub:${shorten(sub)}` : `sub:${sub}`, linkId: null };
}

function shorten(sub: string): string {
  const start = sub.slice(0, SHORTENED).toWellFormed();
  return `${start}… (SHA-256 ${createHash('sha256').update(sub).digest('base64url')})`;
}

/** Returns the `sub`, which may be shortened, or the link of an owner key. Exactly one of them is not null. */
export function personOf(name: string): { sub: string | null; linkId: string | null } {
  const colon = name.indexOf(':');
  const id = name.slice(colon + 1);
  return name.slice(0, colon) === 'link' ? { sub: null, linkId: id } : { sub: id, linkId: null };
}

/** Returns the texts that identify a person in audit entries and stored responses: the `sub`, and the shortened `sub` that `personOf` returns for it. */
export function recordedSubsOf(spaceId: string, sub: string): string[] {
  const { sub: shown } = personOf(ownerOfSub(spaceId, sub).name);
  return shown === null || shown === sub ? [sub] : [sub, shown];
}

/** Identifies the person and the link to which turn limits apply. */
export interface LimitKeys {
  readonly person: string;
  readonly link: string;
}

/**
 * Returns the keys of the turn limits. A person is identified by the space and the `sub`, or by the network address if the link
 * has no `sub`. The session cannot identify a person, because anybody with the link can create another session.
 */
export function limitKeysOf(
  link: { readonly spaceId: string; readonly linkId: string; readonly sub: string | null },
  address: string,
): LimitKeys {
  const { spaceId, name, linkId } = ownerOf(link);
  return {
    person: JSON.stringify(linkId === null ? [spaceId, name] : [linkId, address]),
    link: JSON.stringify([link.linkId]),
  };
}

/** Returns the keys of the turn limits of previews. All previews of a space count as one link. */
export function previewLimitKeysOf(spaceId: string, userId: string): LimitKeys {
  return {
    person: JSON.stringify(['preview', spaceId, userId]),
    link: JSON.stringify(['preview', spaceId]),
  };
}
