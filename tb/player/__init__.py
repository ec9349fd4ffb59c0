"""What is played by the player in Verilog: random commands in bulk, and cases."""
