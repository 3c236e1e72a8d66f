import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso';
import { ProblemNote } from '../components/problem-note.tsx';
import { readFragment } from '../pages/sign-in/fragment.ts';
import { OneTimeLinkPage } from '../pages/sign-in/one-time-link-page.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { SpacesPage } from '../pages/spaces/spaces-page.tsx';
import { t } from '../translations/translate.ts';
import { loadSession, session } from './client.ts';
import { Layout } from './layout.tsx';
import { useAction } from './loading.ts';

const AccountPage = lazy(() =>
  import('../pages/account/account-page.tsx').then((module) => module.AccountPage),
);
const SpacePage = lazy(() =>
  import('../pages/spaces/space-page.tsx').then((module) => module.SpacePage),
);
const LinksPage = lazy(() =>
  import('../pages/links/links-page.tsx').then((module) => module.LinksPage),
);
const NewLinkPage = lazy(() =>
  import('../pages/links/new-link-page.tsx').then((module) => module.NewLinkPage),
);
const LinkPage = lazy(() =>
  import('../pages/links/link-page.tsx').then((module) => module.LinkPage),
);
const AccessPage = lazy(() =>
  import('../pages/access/access-page.tsx').then((module) => module.AccessPage),
);
const DocumentsPage = lazy(() =>
  import('../pages/documents/documents-page.tsx').then((module) => module.DocumentsPage),
);
const SearchPage = lazy(() =>
  import('../pages/documents/search-page.tsx').then((module) => module.SearchPage),
);
const DocumentPage = lazy(() =>
  import('../pages/documents/document-page.tsx').then((module) => module.DocumentPage),
);
const CrawlsPage = lazy(() =>
  import('../pages/crawls/crawls-page.tsx').then((module) => module.CrawlsPage),
);
const CrawlPage = lazy(() =>
  import('../pages/crawls/crawl-page.tsx').then((module) => module.CrawlPage),
);
const ConversationsPage = lazy(() =>
  import('../pages/conversations/conversations-page.tsx').then(
    (module) => module.ConversationsPage,
  ),
);
const QuestionsPage = lazy(() =>
  import('../pages/conversations/questions-page.tsx').then((module) => module.QuestionsPage),
);
const ConversationPage = lazy(() =>
  import('../pages/conversations/conversation-page.tsx').then((module) => module.ConversationPage),
);
const KeysPage = lazy(() =>
  import('../pages/keys/keys-page.tsx').then((module) => module.KeysPage),
);
const MembersPage = lazy(() =>
  import('../pages/people/members-page.tsx').then((module) => module.MembersPage),
);
const UsersPage = lazy(() =>
  import('../pages/people/users-page.tsx').then((module) => module.UsersPage),
);
const UserPage = lazy(() =>
  import('../pages/people/user-page.tsx').then((module) => module.UserPage),
);
const AuditPage = lazy(() =>
  import('../pages/operations/audit-page.tsx').then((module) => module.AuditPage),
);
const UsagePage = lazy(() =>
  import('../pages/operations/usage-page.tsx').then((module) => module.UsagePage),
);
const InstallationPage = lazy(() =>
  import('../pages/operations/installation-page.tsx').then((module) => module.InstallationPage),
);
const SettingsPage = lazy(() =>
  import('../pages/settings/settings-page.tsx').then((module) => module.SettingsPage),
);
const WidgetPage = lazy(() =>
  import('../pages/widget/widget-page.tsx').then((module) => module.WidgetPage),
);
const EventsPage = lazy(() =>
  import('../pages/events/events-page.tsx').then((module) => module.EventsPage),
);
const LiveEventsPage = lazy(() =>
  import('../pages/events/live-events-page.tsx').then((module) => module.LiveEventsPage),
);
const RejectedEventsPage = lazy(() =>
  import('../pages/events/rejected-events-page.tsx').then((module) => module.RejectedEventsPage),
);
const EventRatesPage = lazy(() =>
  import('../pages/events/event-rates-page.tsx').then((module) => module.EventRatesPage),
);
const EventPage = lazy(() =>
  import('../pages/events/event-page.tsx').then((module) => module.EventPage),
);
const SourcesPage = lazy(() =>
  import('../pages/sources/sources-page.tsx').then((module) => module.SourcesPage),
);
const SubscriptionsPage = lazy(() =>
  import('../pages/subscriptions/subscriptions-page.tsx').then(
    (module) => module.SubscriptionsPage,
  ),
);
const SubscriptionPage = lazy(() =>
  import('../pages/subscriptions/subscription-page.tsx').then((module) => module.SubscriptionPage),
);
const DeliveryPage = lazy(() =>
  import('../pages/subscriptions/delivery-page.tsx').then((module) => module.DeliveryPage),
);
const SinksPage = lazy(() =>
  import('../pages/sinks/sinks-page.tsx').then((module) => module.SinksPage),
);

/** The tokens in the address. They are removed from the address before the first page is shown. */
const fragment = readFragment();

export function App() {
  const loading = useAction(loadSession);
  useEffect(() => {
    void loading.run();
  }, []);
  if (loading.problem !== null)
    return (
      <main class="narrow">
        <ProblemNote problem={loading.problem} />
        <button type="button" onClick={() => void loading.run()}>
          {t('Try again')}
        </button>
      </main>
    );
  if (session.value === undefined) return <main class="narrow" aria-busy="true" />;
  if (fragment.value !== null) return <OneTimeLinkPage fragment={fragment} />;
  if (session.value === null) return <SignInPage />;
  return (
    <LocationProvider scope="/console">
      <Layout user={session.value.user}>
        <ErrorBoundary>
          <Router>
            <Route path="/console" component={SpacesPage} />
            <Route path="/console/account" component={AccountPage} />
            <Route path="/console/spaces/:spaceId" component={SpacePage} />
            <Route path="/console/spaces/:spaceId/links" component={LinksPage} />
            <Route path="/console/spaces/:spaceId/links/new" component={NewLinkPage} />
            <Route path="/console/spaces/:spaceId/links/:linkId" component={LinkPage} />
            <Route path="/console/spaces/:spaceId/access" component={AccessPage} />
            <Route path="/console/spaces/:spaceId/documents" component={DocumentsPage} />
            <Route path="/console/spaces/:spaceId/documents/search" component={SearchPage} />
            <Route path="/console/spaces/:spaceId/documents/:documentId" component={DocumentPage} />
            <Route path="/console/spaces/:spaceId/crawls" component={CrawlsPage} />
            <Route path="/console/spaces/:spaceId/crawls/:crawlId" component={CrawlPage} />
            <Route path="/console/spaces/:spaceId/conversations" component={ConversationsPage} />
            <Route
              path="/console/spaces/:spaceId/conversations/questions"
              component={QuestionsPage}
            />
            <Route
              path="/console/spaces/:spaceId/conversations/:conversationId"
              component={ConversationPage}
            />
            <Route path="/console/spaces/:spaceId/keys" component={KeysPage} />
            <Route path="/console/spaces/:spaceId/people" component={MembersPage} />
            <Route path="/console/users" component={UsersPage} />
            <Route path="/console/users/:userId" component={UserPage} />
            <Route path="/console/spaces/:spaceId/audit" component={AuditPage} />
            <Route path="/console/spaces/:spaceId/usage" component={UsagePage} />
            <Route path="/console/audit" component={AuditPage} />
            <Route path="/console/installation" component={InstallationPage} />
            <Route path="/console/spaces/:spaceId/settings" component={SettingsPage} />
            <Route path="/console/spaces/:spaceId/widget" component={WidgetPage} />
            <Route path="/console/spaces/:spaceId/events" component={EventsPage} />
            <Route path="/console/spaces/:spaceId/events/live" component={LiveEventsPage} />
            <Route path="/console/spaces/:spaceId/events/rejected" component={RejectedEventsPage} />
            <Route path="/console/spaces/:spaceId/events/rates" component={EventRatesPage} />
            <Route path="/console/spaces/:spaceId/events/event" component={EventPage} />
            <Route path="/console/spaces/:spaceId/sources" component={SourcesPage} />
            <Route path="/console/spaces/:spaceId/subscriptions" component={SubscriptionsPage} />
            <Route
              path="/console/spaces/:spaceId/subscriptions/:subscriptionId"
              component={SubscriptionPage}
            />
            <Route
              path="/console/spaces/:spaceId/subscriptions/:subscriptionId/deliveries/:deliveryId"
              component={DeliveryPage}
            />
            <Route path="/console/spaces/:spaceId/sinks" component={SinksPage} />
            <Route default component={NotFoundPage} />
          </Router>
        </ErrorBoundary>
      </Layout>
    </LocationProvider>
  );
}

function NotFoundPage() {
  return (
    <>
      <h1>{t('Page not found')}</h1>
      <p>
        {t('The console has no page with this address.')}{' '}
        <a href="/console">{t('Go to your spaces')}</a>
      </p>
    </>
  );
}
