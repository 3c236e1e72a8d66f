/** How a NATS server is reached, and where events go. */
export interface NatsOptions {
  /** `nats://` or `tls://` URLs without credentials, of one server or of several of a cluster; `tls://` insists on TLS. */
  readonly servers: readonly string[];
  /** With `{spaceId}`, `{type}` and `{source}`; see `subjectOf`. */
  readonly subject: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly token: string | null;
  /** What a credentials file holds: a JWT and the seed of an nkey. */
  readonly credentials: string | null;
}
