/** Whose conversations are meant, as a link says it and never as a browser does. */
export interface Owner {
  readonly spaceId: string;
  /** A `sub` or a link, told apart by how it begins. */
  readonly name: string;
  /** The link that the conversations end with; null when they belong to a `sub`. */
  readonly linkId: string | null;
}

/**
 * The owner of what is said behind a link: its `sub` in its space, or else the link. An empty `sub` names
 * nobody: all who were given it by mistake would share one history.
 */
export function ownerOf(link: {
  readonly spaceId: string;
  readonly linkId: string;
  readonly sub: string | null;
}): Owner {
  const { spaceId, linkId, sub } = link;
  return sub === null || sub === ''
    ? { spaceId, name: `link:${linkId}`, linkId }
    : { spaceId, name: `sub:${sub}`, linkId: null };
}

/** Who asks, as limits tell them apart. */
export interface Asking {
  readonly person: string;
  readonly link: string;
}

/**
 * A person is a `sub` in its space. Where a link names none, whoever uses it from one address counts as one:
 * the session says nothing, since anybody with the link can exchange it again.
 */
export function askingOf(
  link: { readonly spaceId: string; readonly linkId: string; readonly sub: string | null },
  address: string,
): Asking {
  const { spaceId, name, linkId } = ownerOf(link);
  return {
    person: JSON.stringify(linkId === null ? [spaceId, name] : [linkId, address]),
    link: JSON.stringify([link.linkId]),
  };
}
