/** The parts of an OpenAPI 3.1 document that ours has. */
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
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** Alternatives; `{}` among them means that none is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: SchemaObject;
  readonly example: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Content;
}

/** By media type. */
export type Content = Readonly<
  Record<string, { readonly schema: SchemaObject; readonly example: unknown }>
>;

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
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
);

/** The JSON Schema keywords that our schemas use. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaObject;
  readonly patternProperties?: Readonly<Record<string, SchemaObject>>;
  readonly items?: SchemaObject;
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
