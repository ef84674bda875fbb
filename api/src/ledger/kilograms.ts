/** `10.2 kg`, to the gram. */
export const formatKilograms = (kg: number): string => `${Number(kg.toFixed(3))} kg`;
