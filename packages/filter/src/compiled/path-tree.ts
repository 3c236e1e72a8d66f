import { elementsOf, objectsIn } from '../evaluate/record.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../language/json.ts';

/** Up to this number of keys, looking up each key in the object is faster than listing the members of the object. */
const FEW_KEYS = 8;

/** The target of the values at a path. */
export interface PathTarget {
  /** Sets the value of a path that leads only through objects. Not called if the path is absent. */
  single(value: JsonValue): void;
  /** Marks that the path leads through an array. Called before `collected`, any number of times. */
  throughArray(): void;
  /** Adds a value of a path that leads through an array. */
  collected(value: JsonValue): void;
}

/** A tree of all metadata paths of a filter, so that one pass over the metadata finds the values of all paths. */
export class PathTree {
  readonly #children = new Map<string, PathTree>();
  #target: PathTarget | null = null;

  add(path: readonly string[], target: PathTarget): void {
    let node: PathTree = this;
    for (const key of path) {
      let child = node.#children.get(key);
      if (child === undefined) {
        child = new PathTree();
        node.#children.set(key, child);
      }
      node = child;
    }
    node.#target = target;
  }

  /** Passes the values of all paths to their targets. The values are those of `fieldValue`. */
  visit(metadata: JsonObject): void {
    this.#visitMembers(metadata, false);
  }

  #visitMembers(object: JsonObject, isThroughArray: boolean): void {
    if (this.#children.size <= FEW_KEYS) {
      for (const [key, child] of this.#children)
        if (Object.hasOwn(object, key)) child.#visitValue(object[key], isThroughArray);
    } else {
      for (const key of Object.keys(object)) {
        const child = this.#children.get(key);
        if (child !== undefined) child.#visitValue(object[key], isThroughArray);
      }
    }
  }

  #visitValue(value: JsonValue | undefined, isThroughArray: boolean): void {
    if (value === undefined) return;
    if (this.#target !== null) {
      if (!isThroughArray) this.#target.single(value);
      else for (const element of elementsOf(value)) this.#target.collected(element);
    }
    if (this.#children.size === 0) return;
    if (isJsonObject(value)) this.#visitMembers(value, isThroughArray);
    else if (Array.isArray(value)) {
      if (!isThroughArray) for (const child of this.#children.values()) child.#markThroughArray();
      for (const element of objectsIn(value)) this.#visitMembers(element, true);
    }
  }

  #markThroughArray(): void {
    this.#target?.throughArray();
    for (const child of this.#children.values()) child.#markThroughArray();
  }
}
