import type { SingleSignOnSettings } from '../identity/index.ts';
import type { Settings } from '../platform/settings/index.ts';

/** Returns the settings of single sign-on, or `null` if single sign-on is not configured. */
export function singleSignOnSettings(settings: Settings): SingleSignOnSettings | null {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = settings;
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    scopes: settings.oidcScopes,
    groupsClaim: settings.oidcGroupsClaim,
    allowedDomains: settings.oidcAllowedDomains,
    allowedGroups: settings.oidcAllowedGroups,
    adminGroups: settings.oidcAdminGroups ?? [],
    groupRoles: settings.oidcGroupRoles ?? [],
  };
}
