import type { Feature } from '../operation.ts';
import type { OpenApiDocument } from './document.ts';

const TAGS: Readonly<Record<Feature, { readonly name: string; readonly description: string }>> = {
  links: {
    name: 'Access links',
    description: 'Who may open the assistant, until when, and what it may show them.',
  },
  knowledge: {
    name: 'Knowledge',
    description: 'Documents, and a search that finds what the caller’s filters let them see.',
  },
  chat: {
    name: 'Chat',
    description: 'What a person behind a link asks, and what was said before.',
  },
  events: {
    name: 'Events',
    description: 'CloudEvents from other systems, in batches, each kept exactly once.',
  },
  sources: {
    name: 'Event sources',
    description: 'Who may send events by signature, and the secrets that prove it.',
  },
  deliveries: {
    name: 'Subscriptions',
    description: 'Who is sent the events of a space, and what could not be delivered.',
  },
  spaces: {
    name: 'Spaces and bots',
    description: 'A space holds bots, keys, links and events; a user has a role on each bot.',
  },
  access: { name: 'Keys, sessions and users', description: 'Who calls, and what they may do.' },
  http: { name: 'Service', description: 'Health, metrics and this description.' },
  widget: { name: 'Widget', description: 'What a person sees behind a link.' },
};

/** The tag of a feature: its name for readers. */
export function tagOf(feature: Feature): string {
  return TAGS[feature].name;
}

/** The tags of these features, each once, in the order they are first met. */
export function tagsOf(features: readonly Feature[]): OpenApiDocument['tags'] {
  return [...new Set(features)].map((feature) => TAGS[feature]);
}
