import { fdatasyncSync, readSync, writeSync } from 'node:fs';

/** Bytes that are read at once. A multiple of every page size. */
const READ_BYTES = 1024 * 1024;
/** Number of pages from which pages of other types can look like B-tree pages; see `overwriteUnusedAreas`. */
const MAX_PAGES = 0x0200_0000;
const FILE_HEADER_BYTES = 100;
/** Types of B-tree pages with the size of their header. https://www.sqlite.org/fileformat.html#b_tree_pages */
const HEADER_BYTES: ReadonlyMap<number, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

export interface UnusedAreasOptions {
  /** Descriptor of the database file. It must stay open until the process has closed all connections; see `openSqlite`. */
  readonly fd: number;
  readonly pageSize: number;
  /** First page, from 0. */
  readonly from: number;
  readonly pages: number;
  /** Also writes zeros where the file seems to contain only zeros. After a failed sync, they may be only in the cache. */
  readonly writesAgain: boolean;
  /** Reports whether the work must stop. */
  readonly isOver: () => boolean;
}

/**
 * Overwrites the unused area of B-tree pages, between the cell pointers and the cells, with zeros. When SQLite moves rows between
 * pages, it leaves copies of them in this area, and `secure_delete` does not overwrite the copies when the rows are deleted.
 * Returns the first page that was not examined.
 *
 * The write-ahead log must be empty and the caller must hold the write lock, so that nothing else changes the file. Readers are
 * not disturbed, because nothing refers to the area. The write needs no journal: a crash leaves old or new bytes of the area.
 *
 * Other pages begin with a page number, whose first byte is the type of a B-tree page only in databases of 2^25 pages (256 GiB)
 * or more. Such databases are not changed.
 */
export function overwriteUnusedAreas(options: UnusedAreasOptions): number {
  const { fd, pageSize, pages, writesAgain, isOver } = options;
  if (pages >= MAX_PAGES) return pages;
  const buffer = Buffer.alloc(READ_BYTES);
  let page = options.from;
  let isChanged = false;
  while (page < pages && !isOver()) {
    const wanted = Math.min(READ_BYTES, (pages - page) * pageSize);
    const length = readSync(fd, buffer, 0, wanted, page * pageSize);
    if (length < pageSize) return pages;
    for (let at = 0; at + pageSize <= length; at += pageSize) {
      const area = unusedArea(buffer.subarray(at, at + pageSize), page === 0);
      if (area !== null && (writesAgain || area.hasContent)) {
        const zeros = Buffer.alloc(area.end - area.start);
        writeSync(fd, zeros, 0, zeros.length, page * pageSize + area.start);
        isChanged = true;
      }
      page += 1;
    }
  }
  if (isChanged) fdatasyncSync(fd);
  return page;
}

interface Area {
  readonly start: number;
  readonly end: number;
  /** False if it contains only zeros. */
  readonly hasContent: boolean;
}

/** Returns the area between the cell pointers and the cells of a B-tree page, or `null` if there is none. */
function unusedArea(page: Buffer, isFirst: boolean): Area | null {
  const header = isFirst ? FILE_HEADER_BYTES : 0;
  const headerBytes = HEADER_BYTES.get(page[header] ?? 0);
  if (headerBytes === undefined) return null;
  const cells = page.readUInt16BE(header + 3);
  // 0 stands for 65,536.
  const end = page.readUInt16BE(header + 5) || 65_536;
  const start = header + headerBytes + 2 * cells;
  if (start >= end || end > page.length) return null;
  let at = start;
  while (at < end && page[at] === 0) at += 1;
  return { start, end, hasContent: at < end };
}
