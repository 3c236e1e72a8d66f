import type { Seeded } from '../../../tests/support/seeded.ts';
import { toMetadata } from '../../knowledge/documents/document.rules.ts';
import { createDocumentChanges } from '../../knowledge/documents/document-changes.repository.ts';
import { createRecordRepository } from '../../knowledge/projections/record.repository.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { newStoreLocation, type StoreLocation } from '../open-store.suite.ts';
import { addSpace } from './add-space.suite.ts';
import type { KnowledgeEngine } from './knowledge-engine.ts';
import { addDocument, type TestDocument, TIME } from './knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from './knowledge-scope.ts';
import type { Store } from './store.ts';

const SPACE = 'space';
const OTHER_SPACE = 'other space';
const DOCUMENTS_AT_START = 30;
/** Number of changes after which the larger store is closed and opened again. */
const CHANGES_PER_RESTART = 50;

/** Returns the content of a random document. */
export type SomeDocument = (isHidden: boolean) => Pick<TestDocument, 'fileName' | 'texts'>;

interface HiddenDocument {
  readonly spaceId: string;
  readonly id: string;
}

/** Returns the scope of the documents whose metadata satisfies a filter. */
export function scopeWhere(filter: object): KnowledgeScope {
  return new KnowledgeScope(SPACE, filterOf(filter));
}

/**
 * Two stores with the same documents in `scope`. The larger store also contains documents outside the scope: in the same space and in
 * another space. `change` adds, changes, hides and removes random documents, and replaces the text of records in place.
 */
export class StoresWithHiddenDocuments implements AsyncDisposable {
  readonly scope = scopeWhere({ level: { eq: 'open' } });
  readonly #random: Seeded;
  readonly #someDocument: SomeDocument;
  readonly #locations: readonly [small: StoreLocation, large: StoreLocation];
  readonly #small: Store;
  #large: Store;
  readonly #visible: string[] = [];
  readonly #hidden: HiddenDocument[] = [];
  /** Documents with one passage, whose text is replaced in place. */
  readonly #records: HiddenDocument[] = [];
  #added = 0;
  #changes = 0;

  private constructor(
    random: Seeded,
    someDocument: SomeDocument,
    locations: readonly [StoreLocation, StoreLocation],
    stores: readonly [Store, Store],
  ) {
    this.#random = random;
    this.#someDocument = someDocument;
    this.#locations = locations;
    [this.#small, this.#large] = stores;
  }

  static async open(
    random: Seeded,
    someDocument: SomeDocument,
  ): Promise<StoresWithHiddenDocuments> {
    const locations = [await newStoreLocation(), await newStoreLocation()] as const;
    const stores = [await locations[0].open(), await locations[1].open()] as const;
    const opened = new StoresWithHiddenDocuments(random, someDocument, locations, stores);
    for (const store of stores) await addSpace(store, SPACE);
    await addSpace(stores[1], OTHER_SPACE);
    for (let count = 0; count < DOCUMENTS_AT_START; count += 1) await opened.#addVisible();
    return opened;
  }

  /** The store that contains only documents of the scope. */
  get small(): KnowledgeEngine {
    return this.#small.knowledge;
  }

  get large(): KnowledgeEngine {
    return this.#large.knowledge;
  }

  async change(): Promise<void> {
    await this.#random.pick([
      () => this.#addVisible(),
      () => this.#hide(),
      () => this.#touch(),
      () => this.#removeHidden(),
      () => this.#addHidden(SPACE, 'closed'),
      () => this.#addHidden(SPACE, 'closed'),
      () => this.#addHidden(OTHER_SPACE, 'open'),
      () => this.#rewriteRecord(),
      () => this.#rewriteRecord(),
    ])();
    this.#changes += 1;
    if (this.#changes % CHANGES_PER_RESTART > 0) return;
    await this.#large[Symbol.asyncDispose]();
    this.#large = await this.#locations[1].open();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#large[Symbol.asyncDispose]();
    await this.#small[Symbol.asyncDispose]();
    for (const location of this.#locations) location[Symbol.dispose]();
  }

  async #add(engines: readonly KnowledgeEngine[], spaceId: string, level: string): Promise<string> {
    this.#added += 1;
    const id = `document ${this.#added}`;
    const isHidden = spaceId !== SPACE || level !== 'open';
    const some = this.#someDocument(isHidden);
    const isRecord = this.#added % 2 === 0;
    const texts = isRecord ? some.texts.slice(0, 1) : some.texts;
    const document = { ...some, texts, spaceId, id, metadata: { level } };
    if (isRecord) this.#records.push({ spaceId, id });
    for (const engine of engines) await addDocument(engine, document);
    return id;
  }

  async #addVisible(): Promise<void> {
    this.#visible.push(await this.#add([this.small, this.large], SPACE, 'open'));
  }

  async #addHidden(spaceId: string, level: string): Promise<void> {
    this.#hidden.push({ spaceId, id: await this.#add([this.large], spaceId, level) });
  }

  /** Replaces the text of a record in each store that contains the record. Its metadata does not change. */
  async #rewriteRecord(): Promise<void> {
    const { spaceId, id } = this.#random.pick(this.#records);
    const isHidden = spaceId !== SPACE || !this.#visible.includes(id);
    const { texts } = this.#someDocument(isHidden);
    for (const { knowledge: engine, writeAtomically } of [this.#small, this.#large]) {
      const current = await engine.db
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .select(['id', 'number', 'metadata'])
        .executeTakeFirst();
      if (current === undefined) continue;
      const rendered = {
        fileName: id,
        title: `Title of ${id}`,
        heading: id,
        text: texts[0] ?? '',
        metadata: toMetadata(current.metadata),
      };
      const projection = { space_id: spaceId, id: 'projection', generation: 1 };
      const { number } = current;
      await writeAtomically(
        createRecordRepository(engine).documentWrites(projection, id, number, current, rendered, 0),
      );
    }
  }

  async #removeHidden(): Promise<void> {
    const [one] = this.#hidden.splice(this.#random.below(this.#hidden.length), 1);
    if (one === undefined) return;
    const within = new KnowledgeScope(one.spaceId, filterOf({}));
    await createDocumentChanges(this.large).remove(within, one.id);
  }

  /** Removes a visible document from the smaller store and hides the same document in the larger store. */
  async #hide(): Promise<void> {
    const [id] = this.#visible.splice(this.#random.below(this.#visible.length), 1);
    if (id === undefined) return;
    await createDocumentChanges(this.small).remove(this.scope, id);
    const properties = { metadata: { level: 'closed' }, updated_at: TIME };
    await createDocumentChanges(this.large).changeProperties(this.scope, id, properties);
    this.#hidden.push({ spaceId: SPACE, id });
  }

  /** Changes the metadata of a visible document in both stores. The document remains visible. */
  async #touch(): Promise<void> {
    if (this.#visible.length === 0) return;
    const properties = { metadata: { level: 'open', version: this.#added }, updated_at: TIME };
    const id = this.#random.pick(this.#visible);
    for (const engine of [this.small, this.large])
      await createDocumentChanges(engine).changeProperties(this.scope, id, properties);
  }
}
