import { Connection } from './http/connection.ts';
import type { GatehouseOptions, RequestOptions } from './options.ts';
import { ApiKeys } from './resources/access/api-keys.ts';
import { Audit } from './resources/access/audit.ts';
import { Auth } from './resources/access/auth.ts';
import { SecondFactor } from './resources/access/second-factor.ts';
import { Sessions } from './resources/access/sessions.ts';
import { SingleSignOn } from './resources/access/single-sign-on.ts';
import { Users } from './resources/access/users.ts';
import { Deliveries } from './resources/events/deliveries.ts';
import { EventSources } from './resources/events/event-sources.ts';
import { Events } from './resources/events/events.ts';
import { Subscriptions } from './resources/events/subscriptions.ts';
import { AccessPreview } from './resources/knowledge/access-preview.ts';
import { Crawls } from './resources/knowledge/crawls.ts';
import { DocumentEvents } from './resources/knowledge/document-events.ts';
import { Documents } from './resources/knowledge/documents.ts';
import { Projections } from './resources/knowledge/projections.ts';
import { Chat } from './resources/links/chat.ts';
import { Conversations } from './resources/links/conversations.ts';
import { Links } from './resources/links/links.ts';
import { Service } from './resources/service/service.ts';
import { Widget } from './resources/service/widget.ts';
import { Bots } from './resources/spaces/bots.ts';
import { Invitations } from './resources/spaces/invitations.ts';
import { Members } from './resources/spaces/members.ts';
import { SpaceConversations } from './resources/spaces/space-conversations.ts';
import { Spaces } from './resources/spaces/spaces.ts';
import { Subjects } from './resources/spaces/subjects.ts';
import { Tools } from './resources/spaces/tools.ts';
import type { FoundPassage, SearchRequest } from './types.ts';

/**
 * A client of one Gatehouse service with one credential.
 *
 * @example
 * const client = new Gatehouse({ url: 'https://gate.example', apiKey: 'gh_…', spaceId });
 */
export class Gatehouse {
  readonly accessPreview: AccessPreview;
  readonly apiKeys: ApiKeys;
  readonly audit: Audit;
  readonly auth: Auth;
  readonly bots: Bots;
  readonly chat: Chat;
  readonly conversations: Conversations;
  readonly deliveries: Deliveries;
  readonly documentEvents: DocumentEvents;
  readonly documents: Documents;
  readonly eventSources: EventSources;
  readonly events: Events;
  readonly invitations: Invitations;
  readonly links: Links;
  readonly members: Members;
  readonly crawls: Crawls;
  readonly projections: Projections;
  readonly secondFactor: SecondFactor;
  readonly service: Service;
  readonly sessions: Sessions;
  readonly singleSignOn: SingleSignOn;
  readonly spaceConversations: SpaceConversations;
  readonly spaces: Spaces;
  readonly subjects: Subjects;
  readonly subscriptions: Subscriptions;
  readonly tools: Tools;
  readonly users: Users;
  readonly widget: Widget;
  readonly #api: Connection;

  /** @throws {TypeError} if `url` is not an http or https URL, or contains a user name or password. */
  constructor(options: GatehouseOptions) {
    const api = new Connection(options);
    this.#api = api;
    this.accessPreview = new AccessPreview(api);
    this.apiKeys = new ApiKeys(api);
    this.audit = new Audit(api);
    this.auth = new Auth(api);
    this.bots = new Bots(api);
    this.chat = new Chat(api);
    this.conversations = new Conversations(api);
    this.deliveries = new Deliveries(api);
    this.documentEvents = new DocumentEvents(api);
    this.documents = new Documents(api);
    this.eventSources = new EventSources(api);
    this.events = new Events(api);
    this.invitations = new Invitations(api);
    this.links = new Links(api);
    this.members = new Members(api);
    this.crawls = new Crawls(api);
    this.projections = new Projections(api);
    this.secondFactor = new SecondFactor(api);
    this.service = new Service(api);
    this.sessions = new Sessions(api);
    this.singleSignOn = new SingleSignOn(api);
    this.spaceConversations = new SpaceConversations(api);
    this.spaces = new Spaces(api);
    this.subjects = new Subjects(api);
    this.subscriptions = new Subscriptions(api);
    this.tools = new Tools(api);
    this.users = new Users(api);
    this.widget = new Widget(api);
  }

  /**
   * Searches the documents of a space. The result contains the best passage first.
   *
   * @example
   * const { items } = await gatehouse.search({ query: 'how long does a refund take' });
   * for (const { title, snippet } of items) console.log(title, snippet);
   */
  search(request: SearchRequest, options?: RequestOptions): Promise<{ items: FoundPassage[] }> {
    const input = { body: request, safe: true };
    return this.#api.send('POST /spaces/{spaceId}/search', input, options);
  }
}
