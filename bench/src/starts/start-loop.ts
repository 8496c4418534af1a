// What every process costs, whatever it does.
export {};
