/** What happens to runs that people are notified of, for the setting `events`. */
export const NOTIFICATION_EVENTS = ["waiting", "completed", "failed", "cancelled"] as const;
