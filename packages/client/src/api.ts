import type * as contract from '@gatehouse/contract';
import type { Static, TSchema } from 'typebox';
import type { Page } from './http/list.ts';

/**
 * All operations by route, such as `GET /assistant-link/{linkId}`. A `!` after the method marks operations that accept
 * an `Idempotency-Key`. Derived from the contract; the published package contains this type in expanded form.
 */
export type Api = { readonly [R in keyof Operations]: Shape<Operations[R]> };

type Exports = typeof contract;
type Operations = {
  readonly [K in keyof Exports as Exports[K] extends contract.Operation
    ? RouteOf<Exports[K]>
    : never]: Extract<Exports[K], contract.Operation>;
};
type RouteOf<O extends contract.Operation> =
  `${O['method']}${O extends { readonly idempotent: true } ? '!' : ''} ${O['path']}`;

interface Shape<O extends contract.Operation> {
  readonly body: O extends { readonly body: infer S extends TSchema } ? Sent<Static<S>> : never;
  readonly query: O extends { readonly query: infer S extends TSchema } ? Sent<Static<S>> : never;
  readonly response: ResponseBody<O['responses']>;
}

type ResponseBody<A extends contract.Operation['responses']> = {
  [S in keyof A]: A[S] extends { readonly schema: infer T extends TSchema }
    ? Static<T>
    : A[S] extends { readonly mediaType: string }
      ? Response
      : undefined;
}[keyof A];

/** A type for input: optional members also accept `undefined`, and lists may be read-only. */
type Sent<T> = T extends readonly (infer E)[]
  ? readonly Sent<E>[]
  : T extends object
    ? { [K in keyof T]: Sent<T[K]> | (undefined extends T[K] ? undefined : Absent<T, K>) }
    : T;
/** `undefined` for an optional member, else `never`. */
type Absent<T, K extends keyof T> = object extends Pick<T, K> ? undefined : never;

export type Route = keyof Api;
export type BodyOf<R extends Route> = Api[R]['body'];
export type QueryOf<R extends Route> = Api[R]['query'];
export type ResponseOf<R extends Route> = Api[R]['response'];
/** Routes whose responses are pages with a cursor. */
export type ListRoute = { [R in Route]: ResponseOf<R> extends Page ? R : never }[Route];
export type PageOf<R extends Route> = Extract<ResponseOf<R>, Page>;
