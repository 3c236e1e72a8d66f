declare const proof: unique symbol;

/**
 * Somebody in a widget, behind a link that lives. Only `WidgetSessions` makes one, from a token
 * whose signature and link it has just checked.
 */
export interface WidgetCaller {
  readonly [proof]: true;
  readonly spaceId: string;
  readonly linkId: string;
  /** The user, in the words of whoever made the link; null when the link names none. */
  readonly sub: string | null;
}
