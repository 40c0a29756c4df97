export function Analysis(): null { return null; }
