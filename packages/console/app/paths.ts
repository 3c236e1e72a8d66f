/** Paths of the console. IDs are UUIDs or integers, so they need no escaping. */
export const ROOT = '/console';
export const ACCOUNT = `${ROOT}/account`;

export const spacePath = (spaceId: string) => `${ROOT}/spaces/${spaceId}`;
export const linksPath = (spaceId: string) => `${spacePath(spaceId)}/links`;
export const newLinkPath = (spaceId: string) => `${linksPath(spaceId)}/new`;
export const linkPath = (spaceId: string, linkId: string) => `${linksPath(spaceId)}/${linkId}`;
export const previewPath = (spaceId: string, linkId?: string) =>
  `${spacePath(spaceId)}/access${linkId === undefined ? '' : `?link=${linkId}`}`;
export const documentsPath = (spaceId: string) => `${spacePath(spaceId)}/documents`;
export const documentSearchPath = (spaceId: string) => `${documentsPath(spaceId)}/search`;
export const documentPath = (spaceId: string, documentId: string) =>
  `${documentsPath(spaceId)}/${documentId}`;
export const crawlsPath = (spaceId: string) => `${spacePath(spaceId)}/crawls`;
export const crawlPath = (spaceId: string, crawlId: string) => `${crawlsPath(spaceId)}/${crawlId}`;
export const conversationsPath = (spaceId: string) => `${spacePath(spaceId)}/conversations`;
export const questionsPath = (spaceId: string) => `${conversationsPath(spaceId)}/questions`;
export const conversationPath = (spaceId: string, conversationId: string) =>
  `${conversationsPath(spaceId)}/${conversationId}`;
export const keysPath = (spaceId: string) => `${spacePath(spaceId)}/keys`;

export const membersPath = (spaceId: string) => `${spacePath(spaceId)}/people`;
export const auditPath = (spaceId?: string) =>
  `${spaceId === undefined ? ROOT : spacePath(spaceId)}/audit`;
export const usagePath = (spaceId: string) => `${spacePath(spaceId)}/usage`;
export const settingsPath = (spaceId: string) => `${spacePath(spaceId)}/settings`;
export const widgetPath = (spaceId: string) => `${spacePath(spaceId)}/widget`;
export const usersPath = `${ROOT}/users`;
export const userPath = (userId: string) => `${usersPath}/${userId}`;
export const installationPath = `${ROOT}/installation`;
export const eventsPath = (spaceId: string) => `${spacePath(spaceId)}/events`;
export const liveEventsPath = (spaceId: string) => `${eventsPath(spaceId)}/live`;
export const rejectedEventsPath = (spaceId: string) => `${eventsPath(spaceId)}/rejected`;
export const eventRatesPath = (spaceId: string) => `${eventsPath(spaceId)}/rates`;
export const eventPath = (spaceId: string) => `${eventsPath(spaceId)}/event`;
export const sourcesPath = (spaceId: string) => `${spacePath(spaceId)}/sources`;
export const subscriptionsPath = (spaceId: string) => `${spacePath(spaceId)}/subscriptions`;
export const subscriptionPath = (spaceId: string, subscriptionId: string) =>
  `${subscriptionsPath(spaceId)}/${subscriptionId}`;
export const deliveryPath = (spaceId: string, subscriptionId: string, deliveryId: string) =>
  `${subscriptionPath(spaceId, subscriptionId)}/deliveries/${encodeURIComponent(deliveryId)}`;
export const sinksPath = (spaceId: string) => `${spacePath(spaceId)}/sinks`;

/** Returns the URL of a page with other query parameters. Empty values are omitted. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given as [string, string][]).toString();
  return text === '' ? path : `${path}?${text}`;
}
