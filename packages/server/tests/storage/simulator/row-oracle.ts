import assert from 'node:assert/strict';
import type { Application } from './application.ts';

interface KnownLink {
  /** IDs of all requests with the key. */
  readonly ids: Set<string>;
  /** ID in the first response, or null if there was no response. */
  answer: string | null;
  isRevocationSent: boolean;
  isRevoked: boolean;
}

interface KnownDocument {
  isAdded: boolean;
  isRemovalSent: boolean;
  isRemoved: boolean;
}

export function contentOf(id: string): Uint8Array {
  return new TextEncoder().encode(`${id} `.repeat(1 + ((400 * Number(id.slice(2))) % 3000)));
}

/** Knows which links and documents were created and changed, and asserts that their rows agree with it. */
export class RowOracle {
  readonly #links = new Map<string, KnownLink>();
  readonly #documents = new Map<string, KnownDocument>();

  link(key: string): KnownLink {
    const link = this.#links.get(key) ?? {
      ids: new Set(),
      answer: null,
      isRevocationSent: false,
      isRevoked: false,
    };
    this.#links.set(key, link);
    return link;
  }

  answered(key: string, id: string): void {
    const link = this.link(key);
    assert.ok(link.ids.has(id), `the response for ${key} contains ${id}, which was never sent`);
    assert.ok(
      link.answer === null || link.answer === id,
      `the responses for ${key} contain ${link.answer} and ${id}`,
    );
    link.answer = id;
  }

  document(id: string): KnownDocument {
    const document = this.#documents.get(id) ?? {
      isAdded: false,
      isRemovalSent: false,
      isRemoved: false,
    };
    this.#documents.set(id, document);
    return document;
  }

  async assertRows({ store }: Application): Promise<void> {
    await this.#assertLinks(store);
    await this.#assertDocuments(store);
  }

  async #assertLinks({ db }: Application['store']): Promise<void> {
    const rows = await db.selectFrom('links').select(['id', 'revoked_at']).execute();
    const responses = await db.selectFrom('idempotent_responses').select('key_hash').execute();
    assert.equal(rows.length, responses.length, 'a link or its stored response is missing');
    const audit = await db
      .selectFrom('audit_entries')
      .where('action', '=', 'link.revoked')
      .select('resource_id')
      .execute();
    for (const [key, link] of this.#links) {
      const found = rows.filter(({ id }) => link.ids.has(id));
      const { answer } = link;
      assert.ok(found.length <= 1, `${found.length} links were created for ${key}`);
      if (answer !== null)
        assert.deepEqual(
          found.map(({ id }) => id),
          [answer],
          `the link of ${key} is lost`,
        );
      const isRevoked = found[0] !== undefined && found[0].revoked_at !== null;
      assert.ok(isRevoked || !link.isRevoked, `the revocation of ${key} is lost`);
      assert.ok(!isRevoked || link.isRevocationSent, `${key} was never revoked`);
      const entries = audit.filter(({ resource_id: id }) => id !== null && link.ids.has(id)).length;
      assert.equal(entries, isRevoked ? 1 : 0, `${key} has ${entries} entries of its revocation`);
    }
  }

  async #assertDocuments({ knowledge }: Application['store']): Promise<void> {
    const rows = await knowledge.db.selectFrom('documents').select(['id', 'number']).execute();
    const parts = await knowledge.db
      .selectFrom('document_parts')
      .select(['document', 'bytes'])
      .execute();
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    for (const [id, document] of this.#documents) {
      const row = rows.find((one) => one.id === id);
      if (row === undefined) {
        assert.ok(!document.isAdded || document.isRemovalSent, `${id} is lost`);
        continue;
      }
      assert.ok(!document.isRemoved, `${id} was removed, but exists`);
      const part = parts.find((one) => one.document === row.number);
      assert.ok(part !== undefined, `${id} has no content`);
      assert.ok(Buffer.from(part.bytes).equals(contentOf(id)), `${id} has other content`);
    }
  }
}
