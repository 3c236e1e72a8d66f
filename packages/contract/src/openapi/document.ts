export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export type OpenApiMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathItem = Partial<Readonly<Record<OpenApiMethod, OperationObject>>>;

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  /** Alternative credentials. An empty object means that the credential is optional. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: SchemaObject;
  readonly examples: Examples;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, MediaTypeObject>>;

export interface MediaTypeObject {
  readonly schema: SchemaObject;
  readonly examples: Examples;
}

export type Examples = Readonly<Record<string, { readonly value: unknown }>>;

export interface Reference {
  readonly $ref: string;
}

export interface HeaderObject {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: SchemaObject;
}

export type SecurityScheme = {
  readonly description: string;
} & (
  | { readonly type: 'http'; readonly scheme: 'bearer'; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'cookie'; readonly name: string }
);

/** A JSON Schema, reduced to the keywords that Gatehouse uses. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaObject;
  readonly patternProperties?: Readonly<Record<string, SchemaObject>>;
  readonly items?: SchemaObject | readonly SchemaObject[];
  readonly prefixItems?: readonly SchemaObject[];
  /** Only in schemas of TypeBox, for tuples. */
  readonly additionalItems?: false;
  /** Only in schemas of the contract; becomes a reference. */
  readonly documentedAs?: string;
  /** Only in schemas of the contract. */
  readonly ifMissing?: string;
  readonly anyOf?: readonly SchemaObject[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}
