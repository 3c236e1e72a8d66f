/** The owner of conversations. Derived from the link, never from data of the client. */
export interface Owner {
  readonly spaceId: string;
  /** The `sub` or the id of the link. A prefix distinguishes the two. */
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
  return { spaceId, name: `sub:${sub}`, linkId: null };
}

/** Returns the `sub` or the link of an owner key. Exactly one of them is not null. */
export function personOf(name: string): { sub: string | null; linkId: string | null } {
  const id = name.slice(name.indexOf(':') + 1);
  return name.startsWith('sub:') ? { sub: id, linkId: null } : { sub: null, linkId: id };
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
