import type { JsonObject } from '@gatehouse/filter';
import type { Seeded } from '../seeded.ts';

export interface WrittenDocument {
  /** Word that occurs only in the name and text of this document. */
  readonly marker: string;
  /** Word that several documents contain. */
  readonly topic: string;
  readonly fileName: string;
  readonly text: string;
  readonly metadata: JsonObject;
}

const DEPARTMENTS = ['hr', 'legal', 'sales', 'HR', "o'brien", 'a"b', '%', '部門'];
const TAGS = ['public', 'staff', 'secret', 'draft', 'x_y'];
const REGIONS = ['eu', 'us', null];
const TOPICS = 80;

/** Creates random documents that are spread evenly over 80 topics. */
export function randomDocuments(random: Seeded, count: number): WrittenDocument[] {
  return Array.from({ length: count }, (_, index) => {
    const marker = `marker${String(index).padStart(5, '0')}`;
    const topic = `topic${index % TOPICS}q`;
    return {
      marker,
      topic,
      fileName: `${marker} ${random.pick(['Report', 'notes', 'Plan'])}.txt`,
      text: `This handbook is about ${topic} and names ${marker}.`,
      metadata: randomMetadata(random),
    };
  });
}

function randomMetadata(random: Seeded): JsonObject {
  const metadata: JsonObject = {};
  const maybe = (share: number, name: string, value: () => JsonObject[string]) => {
    if (random.next() < share) Object.assign(metadata, { [name]: value() });
  };
  maybe(0.9, 'department', () => random.pick(DEPARTMENTS));
  maybe(0.8, 'level', () => random.pick([0, 1, 2, 3, 3.5, '3', true]));
  maybe(0.7, 'tags', () => TAGS.filter(() => random.next() < 0.4));
  maybe(0.5, 'region', () => random.pick(REGIONS));
  maybe(0.4, 'owner', () => ({
    team: random.pick(DEPARTMENTS),
    'on call': random.pick([true, false]),
  }));
  maybe(0.5, 'acl', () => randomAcl(random));
  maybe(0.2, 'a "quoted" key', () => random.pick(['yes', 'no']));
  return metadata;
}

/** Returns a list of objects that filters reach with `acl.group`, `acl.until` and `acl.owner.team`. */
function randomAcl(random: Seeded): JsonObject[string] {
  const entry = (): JsonObject[string] =>
    random.pick<() => JsonObject[string]>([
      () => ({ group: random.pick(DEPARTMENTS) }),
      () => ({ group: [random.pick(DEPARTMENTS), random.pick(REGIONS)] }),
      () => ({ group: random.pick([null, []]), until: random.pick([1, 2, '2', null]) }),
      () => ({ until: random.pick([1, 2, 3]), owner: [{ team: random.pick(DEPARTMENTS) }] }),
      () => [{ group: random.pick(DEPARTMENTS) }],
      () => random.pick(DEPARTMENTS),
    ])();
  return random.next() < 0.2
    ? { group: random.pick(DEPARTMENTS) }
    : TAGS.filter(() => random.next() < 0.4).map(entry);
}

/** Returns a random filter on the metadata of `randomDocuments`. The filters use every operator and connective. */
export function randomFilter(random: Seeded, depth = 0): Record<string, unknown> {
  const kind = random.next();
  if (depth < 3 && kind < 0.15)
    return { and: [randomFilter(random, depth + 1), randomFilter(random, depth + 1)] };
  if (depth < 3 && kind < 0.35)
    return { or: [randomFilter(random, depth + 1), randomFilter(random, depth + 1)] };
  if (depth < 3 && kind < 0.45) return { not: randomFilter(random, depth + 1) };
  return predicate(random);
}

function predicate(random: Seeded): Record<string, unknown> {
  const department = () => random.pick([...DEPARTMENTS, 'nobody', null]);
  return random.pick<() => Record<string, unknown>>([
    () => ({ department: { eq: department() } }),
    () => ({ department: { ne: department() } }),
    () => ({ department: { in: [department(), department()] } }),
    () => ({ department: { like: random.pick(['h%', '_r', '\\%', '%a%', '部%']) } }),
    () => ({
      level: { [random.pick(['gt', 'gte', 'lt', 'lte'])]: random.pick([0, 1, 2, 3, '2']) },
    }),
    () => ({ level: { eq: random.pick([0, 3, 3.5, '3', true]) } }),
    () => ({ level: { tp: random.pick(['number', 'string', 'boolean', 'absent']) } }),
    () => ({ tags: { eq: random.pick(TAGS) } }),
    () => ({ tags: { in: [random.pick(TAGS), random.pick(TAGS)] } }),
    () => ({ tags: { ne: random.pick(TAGS) } }),
    () => ({ region: null }),
    () => ({ region: { eq: random.pick(REGIONS), tp: random.pick(['string', 'null', 'absent']) } }),
    () => ({ 'owner.team': { eq: department() } }),
    () => ({ 'owner.on call': { eq: true } }),
    () => ({ 'acl.group': { eq: department() } }),
    () => ({ 'acl.group': { ne: department() } }),
    () => ({ 'acl.group': { in: [department(), department()] } }),
    () => ({ 'acl.group': { like: random.pick(['H%', '_r', '\\%', '%a%', '部%']) } }),
    () => ({
      'acl.until': { [random.pick(['gt', 'gte', 'lt', 'lte'])]: random.pick([1, 2, '2']) },
    }),
    () => ({ 'acl.group': { tp: random.pick(['string', 'null', 'array', 'absent']) } }),
    () => ({ 'acl.owner.team': { [random.pick(['eq', 'ne'])]: department() } }),
    () => ({ 'a "quoted" key': { eq: 'yes' } }),
    () => ({ fileName: { like: random.pick(['%report%', '%NOTES.txt', 'marker0_1%']) } }),
    () => ({ search: random.pick(['PLAN', 'secret', 'brien', 'marker01']) }),
    () => ({ createdAt: { gte: '2026' }, level: { gte: 1 } }),
  ])();
}
