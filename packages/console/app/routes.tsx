import type { ShownSpace } from '@gatehouse/client';
import type { VNode } from 'preact';
import { useRoute } from 'preact-iso';
import { LoadingNote } from '../components/loading-note.tsx';
import { PageProblem } from '../components/problem-note.tsx';
import { SpacesPage } from '../pages/spaces/spaces-page.tsx';
import { t } from '../translations/translate.ts';
import { loadEarly, type Query, type Source } from './early.ts';
import { lazyPage } from './lazy-page.tsx';
import {
  ACCOUNT,
  auditPath,
  conversationPath,
  conversationsPath,
  crawlPath,
  crawlsPath,
  documentPath,
  documentSearchPath,
  documentsPath,
  eventPath,
  eventRatesPath,
  eventsPath,
  installationPath,
  keysPath,
  linkPath,
  linksPath,
  liveEventsPath,
  membersPath,
  newLinkPath,
  newProjectionPath,
  previewPath,
  projectionPath,
  projectionsPath,
  questionsPath,
  ROOT,
  rejectedEventsPath,
  settingsPath,
  sinksPath,
  sourcesPath,
  spacePath,
  subscriptionPath,
  subscriptionsPath,
  usagePath,
  userPath,
  usersPath,
  widgetPath,
} from './paths.ts';
import { hasRight, mayEditSpace, type Right } from './rights.ts';
import { currentSpace, preloadSpace, useSpace } from './space.ts';

interface Address {
  readonly spaceId: string;
  readonly query: Query;
}
type Page = (() => VNode) & {
  readonly preload?: () => Promise<unknown>;
  /** Starts to load the data of the page if the user has the right that the page needs. */
  readonly loadData?: (space: Promise<ShownSpace>, address: Address) => Promise<unknown>;
};
/** `sourceOf`: the data of the page that an address names. */
type Module<K extends string> = Readonly<Record<K, Page>> & {
  readonly sourceOf?: (spaceId: string, query: Query) => Source<unknown>;
};

/**
 * Returns a page that is loaded when it is opened.
 *
 * @param needs the right that the page needs. Without the right, a note replaces the page.
 */
function page<K extends string>(load: () => Promise<Module<K>>, name: K, needs?: Right): Page {
  const shown = lazyPage(async () => {
    const Loaded = (await load())[name];
    return () => <Opened page={Loaded} needs={needs} />;
  });
  return Object.assign(shown, {
    loadData: async (space: Promise<ShownSpace>, { spaceId, query }: Address) => {
      const { sourceOf } = await load();
      const isPermitted = needs === undefined || (needs === 'edit' && mayEditSpace(await space));
      if (sourceOf !== undefined && isPermitted) await loadEarly(sourceOf(spaceId, query));
    },
  });
}

interface OpenedProps {
  readonly page: Page;
  /** The right that the page needs. */
  readonly needs: Right | undefined;
}

/** Shows a page if its space can be loaded and the user has the right that the page needs. */
function Opened({ page: Loaded, needs }: OpenedProps) {
  const { spaceId } = useRoute().params;
  if (spaceId !== undefined) return <OpenedInSpace page={Loaded} needs={needs} spaceId={spaceId} />;
  return needs === undefined || hasRight(needs) ? <Loaded /> : <NotPermitted needs={needs} />;
}

function OpenedInSpace({
  page: Loaded,
  needs,
  spaceId,
}: OpenedProps & { readonly spaceId: string }) {
  const { problem } = useSpace(spaceId);
  if (problem !== null) return <PageProblem problem={problem} />;
  if (needs === undefined) return <Loaded />;
  if (currentSpace.value?.id !== spaceId) return <LoadingNote />;
  return hasRight(needs) ? <Loaded /> : <NotPermitted needs={needs} />;
}

function NotPermitted({ needs }: { readonly needs: Right }) {
  return (
    <>
      <h1>{t('No access')}</h1>
      <p>
        {needs === 'edit' && t('Only editors and owners of the space can use this page.')}
        {needs === 'audit' && t('Only owners of the space can use this page.')}
        {needs === 'conversations' &&
          t(
            'You may not read the conversations of this space. An owner of the space decides who may.',
          )}
        {needs === 'administrator' && t('Only administrators can use this page.')}
      </p>
    </>
  );
}

const S = ':spaceId';
const subscription = subscriptionPath(S, ':subscriptionId');

/** The pages of the console by path. */
export const ROUTES: readonly (readonly [path: string, page: Page])[] = [
  [ROOT, SpacesPage],
  [ACCOUNT, page(() => import('../pages/account/account-page.tsx'), 'AccountPage')],
  [spacePath(S), page(() => import('../pages/spaces/space-page.tsx'), 'SpacePage')],
  [linksPath(S), page(() => import('../pages/links/links-page.tsx'), 'LinksPage', 'edit')],
  [newLinkPath(S), page(() => import('../pages/links/new-link-page.tsx'), 'NewLinkPage', 'edit')],
  [linkPath(S, ':linkId'), page(() => import('../pages/links/link-page.tsx'), 'LinkPage', 'edit')],
  [previewPath(S), page(() => import('../pages/access/access-page.tsx'), 'AccessPage', 'edit')],
  [keysPath(S), page(() => import('../pages/keys/keys-page.tsx'), 'KeysPage', 'edit')],
  [widgetPath(S), page(() => import('../pages/widget/widget-page.tsx'), 'WidgetPage', 'edit')],
  [documentsPath(S), page(() => import('../pages/documents/documents-page.tsx'), 'DocumentsPage')],
  [documentSearchPath(S), page(() => import('../pages/documents/search-page.tsx'), 'SearchPage')],
  [
    documentPath(S, ':documentId'),
    page(() => import('../pages/documents/document-page.tsx'), 'DocumentPage'),
  ],
  [crawlsPath(S), page(() => import('../pages/crawls/crawls-page.tsx'), 'CrawlsPage', 'edit')],
  [
    crawlPath(S, ':crawlId'),
    page(() => import('../pages/crawls/crawl-page.tsx'), 'CrawlPage', 'edit'),
  ],
  [
    projectionsPath(S),
    page(() => import('../pages/projections/projections-page.tsx'), 'ProjectionsPage'),
  ],
  [
    newProjectionPath(S),
    page(() => import('../pages/projections/new-projection-page.tsx'), 'NewProjectionPage', 'edit'),
  ],
  [
    projectionPath(S, ':projectionId'),
    page(() => import('../pages/projections/projection-page.tsx'), 'ProjectionPage'),
  ],
  [
    conversationsPath(S),
    page(
      () => import('../pages/conversations/conversations-page.tsx'),
      'ConversationsPage',
      'conversations',
    ),
  ],
  [
    questionsPath(S),
    page(
      () => import('../pages/conversations/questions-page.tsx'),
      'QuestionsPage',
      'conversations',
    ),
  ],
  [
    conversationPath(S, ':conversationId'),
    page(
      () => import('../pages/conversations/conversation-page.tsx'),
      'ConversationPage',
      'conversations',
    ),
  ],
  [eventsPath(S), page(() => import('../pages/events/events-page.tsx'), 'EventsPage')],
  [liveEventsPath(S), page(() => import('../pages/events/live-events-page.tsx'), 'LiveEventsPage')],
  [
    rejectedEventsPath(S),
    page(() => import('../pages/events/rejected-events-page.tsx'), 'RejectedEventsPage', 'edit'),
  ],
  [eventRatesPath(S), page(() => import('../pages/events/event-rates-page.tsx'), 'EventRatesPage')],
  [eventPath(S), page(() => import('../pages/events/event-page.tsx'), 'EventPage')],
  [sourcesPath(S), page(() => import('../pages/sources/sources-page.tsx'), 'SourcesPage', 'edit')],
  [
    subscriptionsPath(S),
    page(() => import('../pages/subscriptions/subscriptions-page.tsx'), 'SubscriptionsPage'),
  ],
  [
    subscription,
    page(() => import('../pages/subscriptions/subscription-page.tsx'), 'SubscriptionPage'),
  ],
  [
    `${subscription}/deliveries/:deliveryId`,
    page(() => import('../pages/subscriptions/delivery-page.tsx'), 'DeliveryPage'),
  ],
  [sinksPath(S), page(() => import('../pages/sinks/sinks-page.tsx'), 'SinksPage')],
  [membersPath(S), page(() => import('../pages/people/members-page.tsx'), 'MembersPage', 'edit')],
  [usagePath(S), page(() => import('../pages/operations/usage-page.tsx'), 'UsagePage', 'edit')],
  [auditPath(S), page(() => import('../pages/operations/audit-page.tsx'), 'AuditPage', 'audit')],
  [
    settingsPath(S),
    page(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage', 'edit'),
  ],
  [usersPath, page(() => import('../pages/people/users-page.tsx'), 'UsersPage', 'administrator')],
  [
    userPath(':userId'),
    page(() => import('../pages/people/user-page.tsx'), 'UserPage', 'administrator'),
  ],
  [
    auditPath(),
    page(() => import('../pages/operations/audit-page.tsx'), 'AuditPage', 'administrator'),
  ],
  [
    installationPath,
    page(
      () => import('../pages/operations/installation-page.tsx'),
      'InstallationPage',
      'administrator',
    ),
  ],
];

/**
 * Starts to load the module of a page, its space and its data.
 *
 * @param withData `false` if the address contains a one-time token, because the token may belong to another user.
 */
export function preloadPage(
  { pathname, search }: Location,
  { withData }: { readonly withData: boolean },
): void {
  const parts = pathname.split('/');
  const found = ROUTES.find(([route]) => {
    const expected = route.split('/');
    const matches = (part: string, index: number) => part.startsWith(':') || part === parts[index];
    return expected.length === parts.length && expected.every(matches);
  });
  if (found === undefined) return;
  const [route, { preload, loadData }] = found;
  // The page itself reports a failure.
  preload?.().catch(() => {});
  const spaceId = parts[route.split('/').indexOf(S)];
  if (spaceId === undefined || !withData) return;
  const query = Object.fromEntries(new URLSearchParams(search));
  loadData?.(preloadSpace(spaceId), { spaceId, query }).catch(() => {});
}
