"""Twenty small questions for a chat model, each with a word that a right answer contains."""

QUESTIONS = [
    ("What is the capital of Italy?", "Rome"),
    ("What is the capital of Japan?", "Tokyo"),
    ("What is the capital of Egypt?", "Cairo"),
    ("What is 7 + 5?", "12"),
    ("What is 9 - 4?", "5"),
    ("What is 6 times 3?", "18"),
    ("What is the opposite of hot?", "cold"),
    ("What is the opposite of big?", "small"),
    ("Which day comes after Monday?", "Tuesday"),
    ("Which month comes after March?", "April"),
    ("What colour is grass?", "green"),
    ("What colour is blood?", "red"),
    ("What is a baby cat called?", "kitten"),
    ("How many legs has a spider?", "8"),
    ("Which is the largest planet?", "Jupiter"),
    ("Who wrote Romeo and Juliet?", "Shakespeare"),
    ("Who wrote Don Quixote?", "Cervantes"),
    ("Which gas do plants take in?", "carbon dioxide"),
    ("What is the Spanish word for dog?", "perro"),
    ("What is the French word for water?", "eau"),
]
