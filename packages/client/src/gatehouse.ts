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
import { Resource } from './resources/resource.ts';
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
export class Gatehouse extends Resource {
  readonly accessPreview = new AccessPreview(this.api);
  readonly apiKeys = new ApiKeys(this.api);
  readonly audit = new Audit(this.api);
  readonly auth = new Auth(this.api);
  readonly bots = new Bots(this.api);
  readonly chat = new Chat(this.api);
  readonly conversations = new Conversations(this.api);
  readonly deliveries = new Deliveries(this.api);
  readonly documentEvents = new DocumentEvents(this.api);
  readonly documents = new Documents(this.api);
  readonly eventSources = new EventSources(this.api);
  readonly events = new Events(this.api);
  readonly invitations = new Invitations(this.api);
  readonly links = new Links(this.api);
  readonly members = new Members(this.api);
  readonly crawls = new Crawls(this.api);
  readonly projections = new Projections(this.api);
  readonly secondFactor = new SecondFactor(this.api);
  readonly service = new Service(this.api);
  readonly sessions = new Sessions(this.api);
  readonly singleSignOn = new SingleSignOn(this.api);
  readonly spaceConversations = new SpaceConversations(this.api);
  readonly spaces = new Spaces(this.api);
  readonly subjects = new Subjects(this.api);
  readonly subscriptions = new Subscriptions(this.api);
  readonly tools = new Tools(this.api);
  readonly users = new Users(this.api);
  readonly widget = new Widget(this.api);

  /** @throws {TypeError} if `url` is not an http or https URL, or contains a user name or password. */
  constructor(options: GatehouseOptions) {
    super(new Connection(options));
  }

  /**
   * Searches the documents of a space. The result contains the best passage first.
   *
   * @example
   * const { items } = await gatehouse.search({ query: 'how long does a refund take' });
   * for (const { title, snippet } of items) console.log(title, snippet);
   */
  search(request: SearchRequest, options?: RequestOptions): Promise<{ items: FoundPassage[] }> {
    return this.api.send('POST /spaces/{spaceId}/search', { body: request, safe: true }, options);
  }
}
