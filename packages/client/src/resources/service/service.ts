import type { RequestOptions } from '../../options.ts';
import type { InstallationStatus, OpenApiDescription, ServiceStatus } from '../../types.ts';
import { Resource } from '../resource.ts';

/** State, health, metrics and documentation of the service. Only `installation` needs a credential. */
export class Service extends Resource {
  /**
   * Returns the version, store, replicas, disk, last backup and settings. Requires an administrator.
   *
   * @example
   * const { version, replicas } = await gatehouse.service.installation();
   */
  installation(options?: RequestOptions): Promise<InstallationStatus> {
    return this.api.send('GET /installation', {}, options);
  }

  /**
   * Reports whether the process runs.
   *
   * @example
   * const { status } = await gatehouse.service.health();
   */
  health(options?: RequestOptions): Promise<ServiceStatus> {
    return this.api.send('GET /healthz', {}, options);
  }

  /**
   * Reports whether the process can serve requests. Throws a `ServiceUnavailableError` otherwise.
   *
   * @example
   * const { status } = await gatehouse.service.readiness();
   */
  readiness(options?: RequestOptions): Promise<ServiceStatus> {
    return this.api.send('GET /readyz', {}, options);
  }

  /**
   * Returns metrics in the text format of Prometheus.
   *
   * @example
   * const metrics = await gatehouse.service.metrics();
   */
  metrics(options?: RequestOptions): Promise<string> {
    return this.api.text('GET /metrics', {}, options);
  }

  /**
   * Returns the OpenAPI 3.1 description of the API.
   *
   * @example
   * const { openapi } = await gatehouse.service.openApi();
   */
  openApi(options?: RequestOptions): Promise<OpenApiDescription> {
    return this.api.send('GET /openapi.json', {}, options);
  }

  /**
   * Returns the URL at which a browser opens the console.
   *
   * @example
   * const url = gatehouse.service.homeUrl();
   */
  homeUrl(): string {
    return this.api.url('GET /');
  }

  /**
   * Returns the page of the console.
   *
   * @example
   * const html = await gatehouse.service.console();
   */
  console(options?: RequestOptions): Promise<string> {
    return this.api.text('GET /console', {}, options);
  }

  /**
   * Returns a script or style sheet of the console.
   *
   * @example
   * const html = await gatehouse.service.console();
   * const [, name = ''] = /console\/assets\/([\w.-]+)/.exec(html) ?? [];
   * const script = await gatehouse.service.consoleAsset(name);
   */
  consoleAsset(name: string, options?: RequestOptions): Promise<string> {
    return this.api.text('GET /console/assets/{name}', { params: [name] }, options);
  }

  /**
   * Returns the URL at which a browser opens the documentation.
   *
   * @example
   * const url = gatehouse.service.documentationUrl();
   */
  documentationUrl(): string {
    return this.api.url('GET /docs');
  }

  /**
   * Returns the first page of the documentation.
   *
   * @example
   * const html = await gatehouse.service.documentation();
   */
  documentation(options?: RequestOptions): Promise<string> {
    return this.api.text('GET /docs/', {}, options);
  }

  /**
   * Returns a page of the documentation.
   *
   * @example
   * const html = await gatehouse.service.documentationPage('configuration');
   */
  documentationPage(page: string, options?: RequestOptions): Promise<string> {
    return this.api.text('GET /docs/{page}', { params: [page] }, options);
  }

  /**
   * Returns a guide, a decision, or a text file of the documentation.
   *
   * @example
   * const html = await gatehouse.service.documentationFile('guides', 'get-started');
   */
  documentationFile(folder: string, name: string, options?: RequestOptions): Promise<string> {
    return this.api.text('GET /docs/{folder}/{name}', { params: [folder, name] }, options);
  }

  /**
   * Returns the page of the API reference.
   *
   * @example
   * const html = await gatehouse.service.reference();
   */
  reference(options?: RequestOptions): Promise<string> {
    return this.api.text('GET /docs/api', {}, options);
  }

  /**
   * Returns a script of the API reference.
   *
   * @example
   * const html = await gatehouse.service.reference();
   * const [, name = ''] = /api\/assets\/([\w.-]+)/.exec(html) ?? [];
   * const script = await gatehouse.service.referenceScript(name);
   */
  referenceScript(name: string, options?: RequestOptions): Promise<string> {
    return this.api.text('GET /docs/api/assets/{name}', { params: [name] }, options);
  }
}
