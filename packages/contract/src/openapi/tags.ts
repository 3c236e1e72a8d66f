import type { Feature } from '../operation.ts';
import type { OpenApiDocument } from './document.ts';

const TAGS: Readonly<Record<Feature, { readonly name: string; readonly description: string }>> = {
  links: {
    name: 'Access links',
    description:
      'An access link gives one user access to the assistant and to a part of the knowledge until it expires.',
  },
  knowledge: {
    name: 'Knowledge',
    description: 'Documents, and a search restricted to the documents that the caller may see.',
  },
  chat: {
    name: 'Chat',
    description: 'Questions from the user of a link, their answers, and earlier conversations.',
  },
  events: {
    name: 'Events',
    description: 'CloudEvents from other systems. Each event is stored exactly once.',
  },
  sources: {
    name: 'Event sources',
    description: 'Systems that sign the events they send, and their secrets.',
  },
  deliveries: {
    name: 'Subscriptions',
    description:
      'URLs that receive the events of a space, and deliveries that have not succeeded yet.',
  },
  spaces: {
    name: 'Spaces and bots',
    description:
      'A space contains bots, API keys, links, documents and events. A bot is the configuration of an assistant. Users have roles on bots.',
  },
  access: {
    name: 'Keys, sessions and users',
    description: 'Authentication of users and programs.',
  },
  http: { name: 'Service', description: 'Health, metrics and this API description.' },
  widget: { name: 'Widget', description: 'Pages and scripts of the chat widget.' },
};

export function tagOf(feature: Feature): string {
  return TAGS[feature].name;
}

export function tagsOf(features: readonly Feature[]): OpenApiDocument['tags'] {
  return [...new Set(features)].map((feature) => TAGS[feature]);
}
