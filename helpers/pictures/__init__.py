"""What a picture and the Explorer share: matrices with their labels, roles and colours."""
